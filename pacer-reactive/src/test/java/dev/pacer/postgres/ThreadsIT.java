package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.spi.Connection;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** P12, P15: who waits holds no thread and no connection, and goes on where it should. */
class ThreadsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    void callersNeverGoOnOnTheDriversThread() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(500)));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Flux.range(0, 300)
                .flatMap(i -> pacer.reserve("key" + i % 7).doOnNext(w -> threads.add(Thread.currentThread().getName())), 300)
                .blockLast(PATIENCE);
        assertThat(threads).allMatch(name -> name.startsWith("parallel-"));
    }

    @Test
    void failuresNeverComeOnTheDriversThread() {
        Pacer pacer = cursors.pacer(
                cursors.with(builder -> builder.url(database.url()).createTable(false)),
                builder -> builder.defaultPace(Pace.perSecond(500)));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Flux.range(0, 50)
                .flatMap(i -> pacer.reserve("key" + i)
                        .doOnError(e -> threads.add(Thread.currentThread().getName()))
                        .onErrorComplete(), 50)
                .blockLast(PATIENCE);
        assertThat(threads).isNotEmpty().allMatch(name -> name.startsWith("parallel-"));
    }

    @Test
    void aSchedulerThatIsGivenIsWhereCallersGoOn() {
        Scheduler mine = Schedulers.newSingle("mine", true);
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(500)).scheduler(mine));
        assertThat(pacer.reserve("key").map(waited -> Thread.currentThread().getName()).block(PATIENCE)).startsWith("mine");
        pacer.close();
        pacer.whenClosed().block(PATIENCE);
        assertThat(mine.isDisposed()).isFalse();
        mine.dispose();
    }

    @Test
    @DisplayName("C103: each caller keeps its own Context through the wait")
    void eachCallerKeepsItsContext() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(1_000)));
        List<Boolean> own = Flux.range(0, 500)
                .flatMap(id -> pacer.reserve("key" + id % 3)
                        .flatMap(waited -> Mono.deferContextual(context -> Mono.just(context.get("id").equals(id))))
                        .contextWrite(context -> context.put("id", id)), 500)
                .collectList()
                .block(PATIENCE);
        assertThat(own).hasSize(500).containsOnly(true);
    }

    @Test
    void tenThousandWaitingCallsHoldNoThreadAndOneConnection() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(100)));
        pacer.reserve("key").block(PATIENCE);
        int before = ManagementFactory.getThreadMXBean().getThreadCount();
        Disposable calls = Flux.range(0, 10_000)
                .flatMap(i -> pacer.reserve("key" + i % 10), 10_000)
                .subscribe();
        for (int i = 0; i < 10; i++) {
            pacer.reserve("other" + i).block(PATIENCE);
        }
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - before).isLessThan(10);
        assertThat(database.sessions("pacer")).isOne();
        assertThat(database.one(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pacer' AND xact_start IS NOT NULL"
                                + " AND state = 'idle in transaction' AND datname = current_database()", Long.class))
                .isZero();
        calls.dispose();
    }

    @Test
    @DisplayName("C105: nothing blocks on a thread that must not, from the first connection to the last")
    void nothingBlocks() throws InterruptedException {
        PostgresCursor cursor = cursors.on(database);
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(2_000)));
        List<Throwable> faults = java.util.Collections.synchronizedList(new ArrayList<>());
        Flux.range(0, 400)
                .parallel(2)
                .runOn(Schedulers.parallel()) // BlockHound watches these threads
                .flatMap(i -> pacer.reserve("key" + i % 5).then(pacer.peek("key" + i % 5)))
                .doOnError(faults::add)
                .sequential()
                .blockLast(PATIENCE);
        database.terminate("pacer"); // and a second connection
        Flux.range(0, 10).publishOn(Schedulers.parallel()).flatMap(i -> pacer.reserve("key" + i)).blockLast(PATIENCE);
        Mono.fromRunnable(pacer::close).subscribeOn(Schedulers.parallel()).then(pacer.whenClosed()).block(PATIENCE);
        assertThat(faults).isEmpty();
    }

    @Test
    @DisplayName("C105: this test would see a blocking call")
    void aBlockingCallWouldBeSeen() {
        assertThat(Mono.fromCallable(() -> {
                            Thread.sleep(1);
                            return 1;
                        })
                        .subscribeOn(Schedulers.parallel())
                        .materialize()
                        .block(PATIENCE)
                        .getThrowable())
                .isInstanceOf(reactor.blockhound.BlockingOperationError.class);
    }

    @Test
    @DisplayName("C082: 64 callers at one key leave an application's own pool alone")
    void anApplicationsOwnPoolStaysQuick() {
        ConnectionPool pool = new ConnectionPool(
                ConnectionPoolConfiguration.builder(database.factory()).initialSize(1).maxSize(10).build());
        pool.warmup().block(PATIENCE);
        PostgresCursor cursor = cursors.with(builder -> builder.connectionFactory(pool).timeLimit(Duration.ofSeconds(10)));
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(100_000)));
        pacer.reserve("key").block(PATIENCE);
        Disposable callers = Flux.range(0, 64)
                .flatMap(i -> pacer.reserve("key").repeat(), 64)
                .subscribeOn(Schedulers.parallel())
                .subscribe();
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            long start = System.nanoTime();
            Mono.usingWhen(pool.create(), c -> Database.rows(c, "SELECT 1").then(), Connection::close).block(PATIENCE);
            times.add(Duration.ofNanos(System.nanoTime() - start));
        }
        callers.dispose();
        times.sort(null);
        assertThat(times.get(25)).as("median").isLessThan(Duration.ofMillis(250));
        assertThat(database.sessions("pacer")).isOne();
        assertThat(pool.getMetrics().orElseThrow().acquiredSize()).isZero();
        pool.disposeLater().block(PATIENCE);
    }
}
