package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest extends InEveryPlace {

  DestinationTest(Places place) {
    super(place);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://API.Example.com/a",
        "https://api.example.com:443/b",
        "HTTPS://api.example.com./c",
        "https://user:pw@api.example.com/d",
        "https://api.example.com",
        "https://api.example.com:",
        "https://api.example.com:0443?q",
        "https://api.example.com#f",
        "http://api.example.com:80/",
        "wss://api.example.com:443/",
        "//api.example.com/",
      })
  void spellingsOfOneDestinationAreOneKey(String uri) {
    assertThat(Destination.of(URI.create(uri)).key()).isEqualTo("api.example.com");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://host:443/ | host:443",
        "https://host:80/ | host:80",
        "http://host:8080/ | host:8080",
        "ftp://host:80/ | host:80",
        "http://host:0/ | host:0",
        "https://TITLE.example/ | title.example",
        // a name that java.net.URI finds no host in
        "http://my_service.internal:8080/x | my_service.internal:8080",
        "http://_dmarc_._x/ | _dmarc_._x",
        "http://1.2.3.4:8080/ | 1.2.3.4:8080",
        "http://host-/ | host-",
        // IPv6
        "http://[2001:DB8::1]:8080/ | [2001:db8::1]:8080",
        "http://[2001:db8:0:0:0:0:0:1]:8080/ | [2001:db8::1]:8080",
        "http://[2001:0db8:0000::0001]/ | [2001:db8::1]",
        "http://[::ffff:192.0.2.1]/ | 192.0.2.1",
        "http://[::ffff:c000:201]/ | 192.0.2.1",
        "http://192.0.2.1/ | 192.0.2.1",
        "http://[fe80::1%25eth0]/ | [fe80::1%25eth0]",
        "http://[fe80::1%25eth0]:8080/ | [fe80::1%25eth0]:8080",
        "http://[::]/ | [::]",
        "http://[::1]:80/ | [::1]",
        "http://[1:0:0:2:0:0:0:3]/ | [1:0:0:2::3]",
        "http://[1:0:0:2:3:0:0:4]/ | [1::2:3:0:0:4]",
        "http://[1:0:2:3:4:5:6:7]/ | [1:0:2:3:4:5:6:7]",
        "http://[fe80::1%25255]/ | [fe80::1%25255]",
        "http://[64:ff9b::192.0.2.33]/ | [64:ff9b::c000:221]",
        "http://user:pw@[2001:db8::1]:8080/ | [2001:db8::1]:8080",
      })
  void aUriBecomesItsKey(String uri, String key) {
    assertThat(Destination.of(URI.create(uri)).key()).isEqualTo(key);
    assertThat(Destination.of(uri).key()).isEqualTo(key);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://Bücher.example/ | xn--bcher-kva.example",
        "https://b%C3%BCcher.example/ | xn--bcher-kva.example",
        "https://xn--bcher-kva.example/ | xn--bcher-kva.example",
        "https://BÜCHER.example./ | xn--bcher-kva.example",
        "https://api%2Eexample.com/ | api.example.com",
        "https://ex%61mple.com/ | example.com",
        "https://例え。テスト/ | xn--r8jz45g.xn--zckzah",
        "https://ａｐｉ.example/ | api.example",
      })
  void aNameIsInAsciiWhateverItWasWrittenIn(String uri, String key) {
    assertThat(Destination.of(uri).key()).isEqualTo(key);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "http://a..b/ | a..b",
        "http://host:port/ | host:port",
        "http://host:99999/ | host:99999",
        "http://host:123456789012/ | host:123456789012",
        "http://a b/ | a?b",
        "http://[nonsense]/ | [nonsense]",
        "http://[::1/ | [::1",
        "http://[::1]x:80/ | [::1]x:80",
        "http://[fe80::1%eth0]/ | [fe80::1%25eth0]",
        "http://[fe80::1%]/ | [fe80::1]",
        "http://a:b:c/ | a:b:c",
        "http://2001:db8::1/ | [2001:db8::1]",
        "http://a@b@c/ | c",
        "http://100%/ | 100%",
        "http://a%zz/ | a%zz",
        "http://a%00b/ | a%00b",
        "http://%2F/ | %2f",
        "http://[::ffff:999.0.2.1]/ | [::ffff:999.0.2.1]",
      })
  void whatIsOddIsAKeyAllTheSame(String uri, String key) {
    assertThat(Destination.of(uri).key()).isEqualTo(key);
  }

  @Test
  void controlCharactersReachNeitherLogsNorTheDatabase() {
    assertThat(Destination.of("http://a\r\nb\u0000\u001b\u007f\ud800/").key()).isEqualTo("a??b????");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/path", "path", "mailto:a@b.c", "http:", "http://", "http:///path", "http://./",
      "http://user@/", "http://:80/", "https://[]/", "?", "http://...:80"})
  void whereThereIsNoHostTheMessageSaysSo(String uri) {
    assertThatThrownBy(() -> Destination.of(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(uri|authority) must name a host, was \".*\"");
  }

  @Test
  void theMessageHoldsNoSecret() {
    assertThatThrownBy(() -> Destination.of("/path?token=secret")).hasMessage("uri must name a host, was \"/path\"");
    assertThatThrownBy(() -> Destination.of("http://user:secret@/")).hasMessage("authority must name a host, was \"\"");
    assertThatThrownBy(() -> Destination.of("http://user:secret@:80/")).hasMessageNotContaining("secret");
    assertThatThrownBy(() -> Destination.of("mailto:secret@b\n")).hasMessage("uri must name a host, was \"b?\"");
  }

  @Test
  void aVeryLongNameCostsNoTime() {
    assertThat(Destination.of("http://" + "\u00fc".repeat(1_000_000)).host()).hasSize(1_000_000);
  }

  @Test
  void schemeAndAuthorityMayComeApart() {
    assertThat(Destination.of("https", "API.example.com:443").key()).isEqualTo("api.example.com");
    assertThat(Destination.of("http", "api.example.com:443").key()).isEqualTo("api.example.com:443");
    assertThat(Destination.of("", "api.example.com:443").key()).isEqualTo("api.example.com:443");
  }

  @Test
  void aDestinationCannotBeWrong() {
    assertThat(new Destination("API.Example.com.",
        OptionalInt.empty())).isEqualTo(Destination.of("https://api.example.com"));
    assertThat(new Destination("2001:DB8::1", OptionalInt.of(8080)).key()).isEqualTo("[2001:db8::1]:8080");
    assertThat(new Destination("::ffff:192.0.2.1", OptionalInt.empty()).key()).isEqualTo("192.0.2.1");
    assertThatThrownBy(() -> new Destination(".", OptionalInt.empty())).hasMessage("host must not be empty, was \".\"");
    assertThatThrownBy(() -> new Destination("a",
        OptionalInt.of(70_000))).hasMessage("port must be from 0 to 65535, was 70000");
  }

  @Test
  void whatIsCanonicalStaysAsItIs() {
    for (String odd : List.of("bücher.example%⅗5", "a%zz", "%", "a%4", "%25%41", "a%②⑤41")) {
      String host = Destination.of("https://" + odd + "/").host();
      assertThat(new Destination(host, OptionalInt.empty()).host()).as(odd).isEqualTo(host);
    }
  }
}
