package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What makes a run of 20 requests at 7/s fail, and what it is told. */
class VerdictTest {

    private static final Plan PLAN = new Plan(7, 0.1, 3, 20, 5, 50, 1, true, null);
    private static final Plan ALONE = new Plan(7, 0.1, 3, 20, 0, 50, 1, false, null);

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
                200, 800, 0.001, cooldown);
    }

    private static CooldownSummary cooldown(int inGrace, int inside, double gap) {
        return new CooldownSummary(5, 100, inGrace, inside, 12.0, List.of(gap, 320.0), gap, 108.7, List.of(1, 1, 1));
    }
}
