package dev.pacer.postgres;

import dev.pacer.Cursor;
import dev.pacer.Fallback;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Cursors and pacers of one test, closed at its end. */
final class Cursors implements AfterEachCallback {
    /** As patient as {@link #on}. */
    static final Fallback PATIENT = Fallback.DEFAULT.patience(Duration.ofSeconds(10));

    private final List<Cursor> cursors = new ArrayList<>();
    private final List<Pacer> pacers = new ArrayList<>();

    /** With time limits that a busy machine keeps. */
    PostgresCursor on(Database database) {
        return with(builder -> builder.url(database.url()).timeLimit(Duration.ofSeconds(10)));
    }

    PostgresCursor with(UnaryOperator<PostgresCursor.Builder> settings) {
        PostgresCursor cursor = settings.apply(PostgresCursor.builder()).build();
        cursors.add(cursor);
        return cursor;
    }

    Pacer pacer(Database database, UnaryOperator<Pacer.Builder> settings) {
        return pacer(on(database), settings);
    }

    Pacer pacer(Cursor cursor, UnaryOperator<Pacer.Builder> settings) {
        Pacer pacer = settings.apply(Pacer.builder().cursor(cursor).fallback(PATIENT)).build();
        pacers.add(pacer);
        return pacer;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        for (Pacer pacer : pacers) {
            pacer.close();
        }
        for (Cursor cursor : cursors) {
            cursor.close().block(Duration.ofSeconds(10));
        }
        pacers.clear();
        cursors.clear();
    }
}
