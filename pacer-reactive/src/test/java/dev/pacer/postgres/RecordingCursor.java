package dev.pacer.postgres;

import dev.pacer.Cursor;
import dev.pacer.Wrapped;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** A cursor that remembers where the slots lie that it handed out and did not get back, in the cursor's own time. */
final class RecordingCursor extends Wrapped {
    private final Consumer<String> onAnswer;
    private final Queue<Long> places = new ConcurrentLinkedQueue<>();
    private final Queue<Long> statements = new ConcurrentLinkedQueue<>();

    RecordingCursor(Cursor cursor) {
        this(cursor, key -> {});
    }

    /** @param onAnswer is told the key of each grant as soon as that is there */
    RecordingCursor(Cursor cursor, Consumer<String> onAnswer) {
        super(cursor);
        this.onAnswer = onAnswer;
    }

    List<Long> places() {
        return new ArrayList<>(places);
    }

    /** How many claims were made. */
    int claims() {
        return statements.size();
    }

    @Override
    public Mono<Grant> take(Claim claim) {
        return super.take(claim).doOnNext(grant -> {
            onAnswer.accept(claim.key());
            statements.add(grant.permits());
            for (long i = 0; i < grant.permits(); i++) {
                places.add(grant.start() + claim.gcra().advance(i));
            }
        });
    }

    @Override
    public Mono<Boolean> giveBack(Refund refund) {
        return super.giveBack(refund).doOnNext(back -> {
            if (back) {
                forgetPlaces(refund);
            }
        });
    }

    void forgetPlaces(Refund refund) {
        places.removeIf(place -> place >= refund.to() && place < refund.cursor());
    }
}
