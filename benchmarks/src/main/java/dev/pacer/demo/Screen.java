package dev.pacer.demo;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Help.Ansi;

/** What the demo prints, in columns; in colour where there is a terminal. */
final class Screen {

    private static final String FACT = "  %-22s";

    private Screen() {}

    /** A line in picocli's markup, such as {@code @|bold ...|@}. */
    static void line(String markup, Object... args) {
        System.out.println(Ansi.AUTO.string(String.format(Locale.ROOT, markup, args)));
    }

    static void fact(String name, String what, Object... args) {
        line(FACT + "%s", name, String.format(Locale.ROOT, what, args));
    }

    /** Names at once what takes a while, and says afterwards what came of it. */
    static <T> T step(String name, Callable<T> work, Function<T, String> outcome) throws Exception {
        System.out.printf(Locale.ROOT, FACT, name);
        System.out.flush();
        T made = work.call();
        System.out.println(outcome.apply(made));
        return made;
    }
}
