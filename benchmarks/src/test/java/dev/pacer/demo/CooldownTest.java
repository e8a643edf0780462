package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CooldownTest {

    private static final long SECOND = 1_000_000_000;

    private final Cooldown cooldown = new Cooldown(Duration.ofSeconds(5), /* after= */ 2);

    @Test
    void theFirstOfTheSecondHalfBeginsIt() {
        assertThat(cooldown.told(0, 0)).isZero();
        assertThat(cooldown.told(1, SECOND)).isZero();
        assertThat(cooldown.hasBegun()).isFalse();

        assertThat(cooldown.told(2, 2 * SECOND)).hasSeconds(5);
        assertThat(cooldown.start()).isEqualTo(2 * SECOND);
        assertThat(cooldown.end()).isEqualTo(7 * SECOND);
    }

    @Test
    void whoComesLaterIsToldTheSameEnd() {
        cooldown.told(2, 0);

        assertThat(cooldown.told(3, SECOND)).hasSeconds(4);
        assertThat(cooldown.told(4, 5 * SECOND - 1)).hasNanos(1);
    }

    @Test
    void itEndsAndDoesNotComeAgain() {
        cooldown.told(2, -SECOND); // a monotonic clock may well be negative

        assertThat(cooldown.told(3, 4 * SECOND)).isZero();
        assertThat(cooldown.told(4, 5 * SECOND)).isZero();
        assertThat(cooldown.start()).isEqualTo(-SECOND);
    }

    @Test
    void theSecondsInWhichItIsSaySo() {
        assertThat(cooldown.note(0, SECOND)).as("not begun").isEmpty();
        cooldown.told(2, SECOND + SECOND / 2);

        assertThat(cooldown.note(0, SECOND)).isEmpty();
        assertThat(cooldown.note(SECOND, 2 * SECOND)).isEqualTo("the vendor says: Retry-After: 5");
        assertThat(cooldown.note(2 * SECOND, 3 * SECOND)).isEqualTo("cooldown, 3.5 s left");
        assertThat(cooldown.note(6 * SECOND, 7 * SECOND)).isEqualTo("the cooldown is over");
        assertThat(cooldown.note(7 * SECOND, 8 * SECOND)).isEmpty();
    }
}
