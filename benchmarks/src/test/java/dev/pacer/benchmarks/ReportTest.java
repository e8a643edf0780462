package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ReportTest {

  private static Document parsed(String page) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(page)));
  }

  private static List<Element> elements(Document page, String name) {
    NodeList all = page.getElementsByTagName(name);
    return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i)).toList();
  }

  private static List<Element> ofClass(Document page, String name, String styleClass) {
    return elements(page, name).stream()
        .filter(one -> List.of(one.getAttribute("class").split(" ")).contains(styleClass))
        .toList();
  }

  /** It stays in target, to be looked at. */
  @Test
  void thePageIsMadeOfAllResultsInAFolder() throws Exception {
    Path folder = Path.of("target", "sample-report");
    for (Sheet sheet : Samples.all()) {
      sheet.write(folder);
    }

    Document page = parsed(Files.readString(Report.write(folder)));

    assertThat(elements(page, "section"))
        .extracting(section -> section.getAttribute("id"))
        .containsExactly("accuracy-processes", "scale-statements", "side-by-side-loopback", "throughput-loopback");
  }

  @Test
  void aFolderWithoutResultsIsRefused(@TempDir Path folder) {
    assertThatThrownBy(() -> Report.write(folder))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("folder must have results, was " + folder);
  }

  @Test
  void thePageNeedsNoScriptAndNoOtherFile() throws Exception {
    String page = Report.page(Samples.all());

    assertThat(page).doesNotContainPattern("(?i)<script|<link|<img|<iframe|@import|url\\(|src=|https?:|javascript:|\\son\\w+=");
    assertThat(elements(parsed(page), "a")).extracting(link -> link.getAttribute("href")).allMatch(href -> href.startsWith("#"));
  }

  @Test
  void namesAreNotTakenForMarkup() throws Exception {
    String page = Report.page(List.of(Samples.latency()));

    assertThat(page).doesNotContain("<Bucket4j>");
    assertThat(ofClass(parsed(page), "span", "name"))
        .extracting(Element::getTextContent)
        .containsExactly("driver, SELECT $1", "pacer", "<Bucket4j> & \"co\"");
  }

  @Test
  void theStyleIsNotEscaped() throws Exception {
    String style = elements(parsed(Report.page(Samples.all())), "style").get(0).getTextContent();

    assertThat(Report.page(Samples.all())).contains(style);
  }

  @Test
  void aLinkLeadsToEverySection() throws Exception {
    Document page = parsed(Report.page(Samples.all()));

    List<String> sections = elements(page, "section").stream().map(one -> "#" + one.getAttribute("id")).toList();
    assertThat(elements(page, "a")).extracting(one -> one.getAttribute("href")).containsAll(sections);
  }

  @Test
  void whatHoldsForAllIsToldOnce() throws Exception {
    String page = Report.page(Samples.all());

    assertThat(page).containsOnlyOnce("a sample of a machine").contains("2026-01-01T00:01:00Z to 2026-01-01T00:09:00Z");
    assertThat(page.split(">synchronous_commit<", -1)).hasSize(Samples.all().size() + 1);
  }

  @Test
  void goalsAreToldAtTheTopAndInTheirSection() throws Exception {
    Document page = parsed(Report.page(Samples.all()));

    assertThat(ofClass(page, "td", "met")).extracting(Element::getTextContent).containsExactly("met: 602,256");
    assertThat(ofClass(page, "span", "met")).extracting(Element::getTextContent).containsExactly("met: 602,256");
    assertThat(ofClass(page, "span", "missed")).extracting(Element::getTextContent).containsExactly("missed: 48,711");
  }

  @Test
  void theFirstColumnIsPlottedAndTheOthersUnfold() throws Exception {
    Document page = parsed(Report.page(List.of(Samples.throughput())));

    List<Element> plots = ofClass(page, "div", "bars");
    assertThat(plots).extracting(plot -> plot.getParentNode().getNodeName()).containsExactly("section", "details", "details");
    assertThat(plots.get(0).getTextContent()).startsWith("reservations/s, log scale");
  }

  @Test
  void pacerHasItsOwnColourAndOthersKeepTheirs() throws Exception {
    Document page = parsed(Report.page(List.of(Samples.throughput())));

    assertThat(ofClass(page, "svg", "bar").subList(0, 4))
        .extracting(one -> one.getAttribute("class"))
        .containsExactly("bar pacer", "bar pacer", "bar pacer", "bar other");
    assertThat(elements(page, "path").subList(0, 7))
        .extracting(one -> one.getAttribute("class"))
        .containsExactly(
            "pacer dash0", "pacer dash1", "pacer dash2", "hue1 dash0", "hue2 dash0", "hue2 dash1", "hue3 dash0");
  }

  @Test
  void eachProcessHasARowAndOneRowHasThemTogether() throws Exception {
    Document page = parsed(Report.page(List.of(Samples.accuracy())));

    assertThat(elements(page, "circle")).hasSize(2 * 42);
    assertThat(ofClass(page, "text", "up").subList(0, 4))
        .extracting(Element::getTextContent)
        .containsExactly("process 1", "process 2", "process 3", "together");
  }

  @Test
  void aLongTimeLineIsCutAndThePageSaysSo() throws Exception {
    Document page = parsed(Report.page(List.of(Samples.accuracy())));

    assertThat(ofClass(page, "line", "tick")).hasSize(2 * 240);
    assertThat(ofClass(page, "p", "note")).extracting(Element::getTextContent).containsExactly("The first 240 of 600.");
  }

  @Test
  void aTableIsBelowEachPlot() throws Exception {
    Document page = parsed(Report.page(List.of(Samples.throughput())));

    List<String> tables = elements(page, "table").stream().map(Element::getTextContent).toList();
    assertThat(tables).hasSize(3); // the first is of the goals
    assertThat(tables.get(1)).contains("pacer, hot key, 500 callers602,256 (421,579 to 722,707)");
    assertThat(tables.get(2)).startsWith("latency, ms, at percentile50 %909999.9").contains("Redisson, hot key, 500 callers");
  }
}
