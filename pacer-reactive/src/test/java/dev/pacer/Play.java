package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Plays a {@link History} in virtual time, to the end of all waiting, and keeps what came of it. */
final class Play {

  /** One call. */
  record Made(int pacer, Call call, Caller caller, long at) {
    boolean passed() {
      return caller.passed();
    }
  }

  final World world = new World();
  final List<Made> made = new ArrayList<>();
  final List<Pacer> pacers = new ArrayList<>();
  final History history;
  final Gcra gcra;
  long cancelled;

  private final List<Long> places = new ArrayList<>();

  private Play(History history, UnaryOperator<Cursor> around) {
    this.history = history;
    this.gcra = history.limit().pace().gcra();
    Cursor cursor = around.apply(new Kept(world.cursor));
    Cursor distant =
        history.roundTripNanos() == 0 ? cursor : new DistantCursor(cursor, world.time, history.roundTripNanos());
    for (int i = 0; i < history.pacers(); i++) {
      pacers.add(world.builder().cursor(distant).defaultPace(history.limit().pace()).build());
    }
  }

  static Play of(History history) {
    return of(history, cursor -> cursor);
  }

  static Play of(History history, UnaryOperator<Cursor> around) {
    Play play = new Play(history, around);
    history.events().forEach(play::happen);
    long interval = play.gcra.advance(1);
    for (int i = 0; i < 100 && play.made.stream().anyMatch(one -> one.caller.waits() && !one.caller.isDisposed()); i++) {
      play.world.pass(Duration.ofNanos(50 * interval + 1_000_000_000L));
    }
    play.world.pass(Duration.ofNanos(100 * interval + 5_000_000_000L)); // idle, for the lanes to go away
    return play;
  }

  private void happen(History.Event event) {
    world.pass(Duration.ofNanos(event.after()));
    Random chosen = new Random(event.pick());
    if (event.what() < 25) {
      if (!made.isEmpty()) {
        cancel(made.get(chosen.nextInt(made.size())).caller);
      }
    } else {
      for (int i = event.what() < 90 ? 1 : 1 + chosen.nextInt(30); i > 0; i--) {
        make(event.pacer() % pacers.size(), chosen);
      }
    }
  }

  private void cancel(Caller caller) {
    if (caller.waits() && !caller.isDisposed()) {
      cancelled++;
    }
    caller.cancel();
  }

  private void make(int pacer, Random chosen) {
    int cost = chosen.nextInt(3) == 0 ? 1 + chosen.nextInt(gcra.burst()) : 1;
    Call call = Call.of(cost).priority(Priority.values()[chosen.nextInt(3)]);
    if (chosen.nextInt(3) == 0) {
      call = call.maxWait(Duration.ofNanos((long) (chosen.nextDouble() * 2 * history.limit().periodNanos())));
    }
    made.add(new Made(pacer, call, World.call(world.time, pacers.get(pacer), call), world.now()));
  }

  /** The dispatches, on one time line. */
  List<Window.Spent> line() {
    return made.stream()
        .filter(Made::passed)
        .map(one -> new Window.Spent(one.caller.at, one.call.permits()))
        .sorted(Comparator.comparingLong(Window.Spent::at))
        .toList();
  }

  /** When each permit was spent, in order. */
  List<Long> spent() {
    List<Long> spent = new ArrayList<>();
    for (Window.Spent one : line()) {
      for (int i = 0; i < one.permits(); i++) {
        spent.add(one.at());
      }
    }
    return spent;
  }

  /** When each permit that was granted and not given back was due, in order. */
  List<Long> due() {
    return places.stream().map(place -> place - gcra.tolerance()).sorted().toList();
  }

  /** Keeps the places that the cursor has handed out and not got back. */
  private final class Kept extends Wrapped {
    Kept(Cursor cursor) {
      super(cursor);
    }

    @Override
    public Mono<Grant> take(Claim claim) {
      return super.take(claim).doOnNext(this::keep);
    }

    private void keep(Grant grant) {
      for (long i = 0; i < grant.permits(); i++) {
        places.add(grant.start() + gcra.advance(i));
      }
    }

    @Override
    public Mono<Boolean> giveBack(Refund refund) {
      return super.giveBack(refund).doOnNext(moved -> places.removeIf(place -> moved && place >= refund.to()));
    }
  }
}
