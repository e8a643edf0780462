package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What makes a run of 20 requests at 7/s fail, and what it is told. */
class VerdictTest {

    private static final Plan PLAN = new Plan(7, 0.1, 3, 20, 5, 0, 50, 1, true, null);
    private static final Plan ALONE = new Plan(7, 0.1, 3, 20, 0, 0, 50, 1, false, null);

    @Test
    void aRunWithoutACooldownHoldsWhenAllIsFetchedBelowTheCeiling() {
        Summary summary = summary(20, 20, 0, 0, 7, null);

        assertThat(summary.held()).isTrue();
        assertThat(Verdict.lines(summary, PLAN)).singleElement().asString().contains("The ceiling held");
    }

    @Test
    void whatTheCooldownRefusedIsSentAgain() {
        Summary summary = summary(20, 22, 2, 0, 7, cooldown(1, 0, 310));

        assertThat(summary.held()).isTrue();
        assertThat(Verdict.lines(summary, PLAN)).hasSize(2).last().asString().contains("The cooldown was kept");
    }

    @Test
    void nothingIsSaidOfGapsWhereTheIntervalIsShorterThanTheLateness() {
        CooldownSummary fast = new CooldownSummary(5, 100, 0, 0, 12.0, List.of(1.0), 1.0, 0, List.of(1, 1, 0));

        assertThat(Verdict.lines(summary(20, 21, 1, 0, 7, fast), PLAN)).last().asString().endsWith("for 5 s and came back.");
        assertThat(Verdict.lines(summary(20, 21, 1, 0, 7, cooldown(0, 0, 310)), PLAN))
                .last().asString().endsWith("for 5 s and came back one by one.");
    }

    @Test
    void anArrivalInTheCooldownFails() {
        fails(summary(20, 22, 2, 0, 7, cooldown(0, 1, 310)), "The cooldown was not kept:|@ 1 arrived in it");
    }

    @Test
    void aHerdAfterTheCooldownFails() {
        fails(summary(20, 21, 1, 0, 7, cooldown(0, 0, 108.6)), "too close together:|@ 108.6 ms apart, where 108.7 are");
    }

    @Test
    void aMissingImageFails() {
        fails(summary(19, 20, 1, 0, 7, cooldown(0, 0, 310)), "Not everything was fetched, once:|@ 19 of 20 images");
    }

    @Test
    void anImageThatIsFetchedTwiceFails() {
        fails(summary(20, 22, 1, 0, 7, cooldown(0, 0, 310)), "Not everything was fetched, once:|@ 20 of 20 images, in 22");
    }

    @Test
    void anEighthInASecondFails() {
        fails(summary(20, 21, 1, 1, 8, null), "The ceiling broke:|@ 8 in a second where 7 are allowed");
    }

    @Test
    void everythingThatFailsIsNamed() {
        Summary summary = summary(18, 21, 1, 1, 8, cooldown(0, 2, 3));

        assertThat(Verdict.lines(summary, PLAN)).filteredOn(line -> line.startsWith("@|bold,red")).hasSize(4);
    }

    @Test
    void withoutSharingOnlyTheCeilingIsBlamed() {
        Summary summary = summary(9, 20, 11, 11, 20, null);

        assertThat(summary.held()).isFalse();
        assertThat(Verdict.lines(summary, ALONE)).hasSize(2).last().asString().contains("--no-pacer-sharing");
    }

    @Test
    void inTheOutageTheCeilingIsNotWhatCounts() {
        Summary summary = summary(22, 2, 8, outage(7, 9, 21, 16, 7));

        assertThat(summary.held()).isTrue();
        assertThat(Verdict.lines(summary, PLAN))
                .satisfiesExactly(
                        line -> assertThat(line).contains("The ceiling held:|@ never more than 7 in any second before the"
                                + " outage and after it"),
                        line -> assertThat(line).contains("The outage was bridged", "answered 429 to 2, which were sent again"));
    }

    @Test
    void anEighthInASecondBeforeTheOutageFails() {
        fails(summary(20, 0, 8, outage(8, 7, 21, 7, 7)), "Too many before the outage:|@ 8 in a second where 7 are allowed");
    }

    @Test
    void anEighthInASecondAfterTheOutageFails() {
        fails(summary(20, 0, 8, outage(7, 7, 21, 7, 8)), "Too many after the outage:|@ 8 in a second where 7 are allowed");
    }

    @Test
    void aTenthInASecondOfTheOutageFails() {
        fails(summary(20, 0, 10, outage(7, 10, 21, 7, 7)), "Too many while each worker was alone:|@ 10 in a second where 9");
    }

    @Test
    void aSeventeenthInASecondAtTheSeamsFails() {
        fails(summary(20, 0, 17, outage(7, 7, 21, 17, 7)), "Too many at the seams of the outage:|@ 17 in a second where 16");
    }

    @Test
    void aWorkerThatTakesMoreThanItsShareFails() {
        fails(summary(20, 0, 7, outage(7, 7, 23, 7, 7)), "more than its share:|@ [23, 20, 20] while each was alone, where 22");
    }

    @Test
    void whoDoesNotComeBackFails() {
        OutageSummary.Phase phase = new OutageSummary.Phase(10, 60, List.of(20, 20, 20), 7, 7);
        OutageSummary outage = new OutageSummary(10, 0.1, null, phase, phase, phase, 22, 7, 16);

        fails(summary(20, 0, 7, outage), "They did not all notice");
    }

    @Test
    void aMissingImageFailsInAnOutageToo() {
        Summary summary = summary(21, 2, 7, outage(7, 7, 21, 7, 7));

        fails(summary, "Not everything was fetched, once:|@ 20 of 20 images, in 21");
    }

    private static OutageSummary outage(int before, int during, int ofTheFirst, int seams, int after) {
        return new OutageSummary(
                10,
                0.1,
                4.9,
                new OutageSummary.Phase(10, 60, List.of(20, 20, 20), before, 7),
                new OutageSummary.Phase(10, 60, List.of(ofTheFirst, 20, 20), during, 9),
                new OutageSummary.Phase(10, 60, List.of(20, 20, 20), after, 7),
                22,
                seams,
                16);
    }

    private static Summary summary(int dispatched, int refused, int peak, OutageSummary outage) {
        return new Summary(3, 7, 0.1, true, 20, 20, dispatched, refused, refused, peak, 100, 3, List.of(7, 7, 6),
                200, 800, 0.001, null, outage);
    }

    private static void fails(Summary summary, String why) {
        assertThat(summary.held()).isFalse();
        assertThat(Verdict.lines(summary, PLAN))
                .noneMatch(line -> line.contains("green"))
                .filteredOn(line -> line.startsWith("@|bold,red"))
                .singleElement().asString().contains(why);
    }

    private static Summary summary(
            int resources, int dispatched, int refused, int limited, int peak, @Nullable CooldownSummary cooldown) {
        return new Summary(3, 7, 0.1, true, 20, resources, dispatched, refused, limited, peak, 100, 3, List.of(7, 7, 6),
                200, 800, 0.001, cooldown, null);
    }

    private static CooldownSummary cooldown(int inGrace, int inside, double gap) {
        return new CooldownSummary(5, 100, inGrace, inside, 12.0, List.of(gap, 320.0), gap, 108.7, List.of(1, 1, 1));
    }
}
