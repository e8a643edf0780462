package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Call;
import dev.pacer.CursorException;
import dev.pacer.Fallback;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Full load and random faults for a while, {@code -Dpacer.test.soak=600} for ten minutes: nothing grows. */
class SoakIT {
    private static final Duration SOAK = Duration.ofSeconds(Long.getLong("pacer.test.soak", 8));
    private static final int KEYS = 50;
    private static final int CALLERS = 64;

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Random random = new Random(42);
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong open = new AtomicLong();

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void nothingGrows() {
        TestDatabase server = TestDatabase.startPrivate();
        Database database = new Database(server.url());
        List<TestProxy> proxies = new ArrayList<>();
        List<Pacer> pacers = new ArrayList<>();
        List<Disposable> loads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestProxy proxy = new TestProxy(database);
            proxies.add(proxy);
            PostgresCursor cursor = cursors.with(builder -> builder.url(database.through(proxy.port()).url()));
            Pacer pacer = cursors.pacer(cursor, builder -> builder
                    .fallback(Fallback.DEFAULT.latch(Duration.ofMillis(500)).heartbeat(Duration.ofSeconds(1)))
                    .defaultPace(Pace.perSecond(500).burst(5)));
            pacers.add(pacer);
            loads.add(load(pacer, i));
        }
        long end = System.nanoTime() + SOAK.toNanos();
        Sample early = null;
        while (System.nanoTime() - end < 0) {
            fault(server, database, proxies, pacers);
            if (early == null && end - System.nanoTime() < SOAK.toNanos() * 3 / 4) {
                early = Sample.take();
            }
        }
        Sample late = Sample.take();
        System.out.printf("soak of %s: %d served, %d refused, %d cancelled, %d failed; %s, then %s%n",
                SOAK, served.get(), refused.get(), cancelled.get(), failed.get(), early, late);
        loads.forEach(Disposable::dispose);
        pacers.forEach(Pacer::close);
        Mono.when(pacers.stream().map(Pacer::whenClosed).toList()).block(Duration.ofSeconds(30));
        Database.await("no call is left", Duration.ofSeconds(30), () -> open.get() == 0);
        Database.await("no connection is left", Duration.ofSeconds(30),
                () -> proxies.stream().allMatch(proxy -> proxy.openClients() == 0));
        proxies.forEach(TestProxy::close);
        server.stop();
        assertThat(failed.get()).isZero();
        assertThat(served.get()).isGreaterThan(SOAK.toSeconds() * 500);
        assertThat(late.heap()).isLessThan(early.heap() * 3 / 2 + 16);
        assertThat(late.threads()).isLessThanOrEqualTo(early.threads() + 12); // those of the proxies' connections
    }

    /** Calls without end: most are patient, some are in a hurry, and some are cancelled. */
    private Disposable load(Pacer pacer, int process) {
        Random choice = new Random(process);
        return Flux.<Integer>generate(sink -> sink.next(choice.nextInt(1_000)))
                .flatMap(i -> call(pacer, i), CALLERS)
                .subscribeOn(Schedulers.boundedElastic())
                .subscribe();
    }

    private Mono<Void> call(Pacer pacer, int i) {
        String key = "key " + i % KEYS;
        Duration budget = i % 10 == 0 ? Duration.ofMillis(50) : Duration.ofSeconds(30);
        Mono<Duration> call = pacer.reserve(key, Call.of(1 + i % 3).maxWait(budget))
                .doOnSubscribe(subscription -> open.incrementAndGet())
                .doFinally(signal -> open.decrementAndGet())
                .doOnNext(waited -> served.incrementAndGet())
                .doOnCancel(cancelled::incrementAndGet);
        return (i % 20 == 7 ? call.takeUntilOther(Mono.delay(Duration.ofMillis(5))) : call)
                .then()
                .onErrorResume(RateLimitedException.class, error -> Mono.fromRunnable(refused::incrementAndGet))
                .onErrorResume(CursorException.class, error -> Mono.fromRunnable(failed::incrementAndGet));
    }

    private void fault(TestDatabase server, Database database, List<TestProxy> proxies, List<Pacer> pacers) {
        TestProxy proxy = proxies.get(random.nextInt(proxies.size()));
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> proxy.cut();
            case 3, 4 -> {
                proxy.blackHole();
                rest(1_500);
                proxy.forward();
            }
            case 5 -> {
                server.stop();
                rest(700);
                server.start();
            }
            case 6, 7 -> database.terminate("pacer");
            case 8 -> database.run("TRUNCATE pacer_cursor");
            case 9, 10 -> pacers.get(random.nextInt(pacers.size()))
                    .coolDown("key " + random.nextInt(KEYS), Duration.ofSeconds(1));
            default -> rest(2_000);
        }
        rest(300 + random.nextInt(700));
    }

    private static void rest(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Megabytes in use after a collection, and threads alive. */
    private record Sample(long heap, int threads) {
        static Sample take() {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long used = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
            return new Sample(used, ManagementFactory.getThreadMXBean().getThreadCount());
        }
    }
}
