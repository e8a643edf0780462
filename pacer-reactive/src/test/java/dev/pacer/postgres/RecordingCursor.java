package dev.pacer.postgres;

import dev.pacer.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A cursor that remembers where the slots lie that it handed out and did not get back, in the cursor's own time. */
final class RecordingCursor implements Cursor {
    private final Cursor cursor;
    private final Consumer<String> onAnswer;
    private final Queue<Long> places = new ConcurrentLinkedQueue<>();
    private final Queue<Long> statements = new ConcurrentLinkedQueue<>();

    RecordingCursor(Cursor cursor) {
        this(cursor, key -> {});
    }

    /** @param onAnswer is told the key of each grant as soon as that is there */
    RecordingCursor(Cursor cursor, Consumer<String> onAnswer) {
        this.cursor = cursor;
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
        return cursor.take(claim).doOnNext(grant -> {
            onAnswer.accept(claim.key());
            statements.add(grant.permits());
            for (long i = 0; i < grant.permits(); i++) {
                places.add(grant.start() + claim.gcra().advance(i));
            }
        });
    }

    @Override
    public Mono<Boolean> giveBack(Refund refund) {
        return cursor.giveBack(refund).doOnNext(back -> {
            if (back) {
                forgetPlaces(refund);
            }
        });
    }

    void forgetPlaces(Refund refund) {
        places.removeIf(place -> place >= refund.to() && place < refund.cursor());
    }

    @Override
    public Mono<Standing> peek(String key) {
        return cursor.peek(key);
    }

    @Override
    public Mono<Cooldown> coolDown(Stop stop) {
        return cursor.coolDown(stop);
    }

    @Override
    public Mono<Cooldown> relax(Relief relief) {
        return cursor.relax(relief);
    }

    @Override
    public Mono<Fleet> checkIn(long memoryNanos) {
        return cursor.checkIn(memoryNanos);
    }

    @Override
    public Flux<Notice> notices() {
        return cursor.notices();
    }

    @Override
    public Mono<Void> suspend() {
        return cursor.suspend();
    }

    @Override
    public Mono<Void> close() {
        return cursor.close();
    }
}
