package dev.pacer.demo;

import dev.pacer.http.Outcome;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * The file of results. A result is recorded when its line has its end: each is handed to the system in one piece, and
 * what a process that was killed left of its last one is cut off when the file is opened again. Locked while it is
 * open. Remembers the URLs that need not be tried again. Not thread-safe.
 */
final class Results implements AutoCloseable {

    private final Path path;
    private final FileChannel file;
    private final Set<String> done = new HashSet<>();
    private final Set<String> failed = new HashSet<>();
    private long lines;
    private long end;

    private Results(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /** Opens it, or makes it. One that is not of results is refused, and left as it is. */
    static Results open(Path path) throws IOException {
        FileChannel file = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Results results = new Results(path, file);
        try {
            results.lock();
            results.read();
            return results;
        } catch (IOException | RuntimeException bad) {
            file.close();
            throw bad;
        }
    }

    private void lock() throws IOException {
        try {
            if (file.tryLock() == null) {
                throw new IOException(path + " is in use by another run");
            }
        } catch (OverlappingFileLockException here) {
            throw new IOException(path + " is in use by another run", here);
        }
    }

    private void read() throws IOException {
        InputStream in = new BufferedInputStream(Channels.newInputStream(file)); // closing it would close the file
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                learn(line.toString(StandardCharsets.UTF_8));
                end += line.size() + 1;
                line.reset();
            } else {
                line.write(next);
            }
        }
        mend(line.toString(StandardCharsets.UTF_8));
        file.position(end);
    }

    private void learn(String line) throws IOException {
        lines++;
        Result result = Result.ofLine(line);
        if (result == null) {
            throw new IOException("line " + lines + " of " + path + " is no result: is it another file?");
        }
        if (result.state() != Outcome.State.SKIPPED) {
            done.add(result.url());
        }
        if (result.state() == Outcome.State.FAILED) {
            failed.add(result.url());
        } else if (result.state() == Outcome.State.SUCCEEDED) {
            failed.remove(result.url());
        }
    }

    /** What comes after the last end of a line. It is whole only if an editor took the end away. */
    private void mend(String rest) throws IOException {
        if (rest.isEmpty()) {
            return;
        }
        if (!rest.startsWith("{")) {
            throw new IOException("line " + (lines + 1) + " of " + path + " is no result: is it another file?");
        }
        file.truncate(end).position(end);
        Result whole = Result.ofLine(rest);
        if (whole != null) {
            learn(rest);
            write(whole);
        }
    }

    /** Whether the URL has been served or has failed before. */
    boolean isDone(String url) {
        return done.contains(url);
    }

    /** Whether the URL has failed before, and has not been served since. */
    boolean hasFailed(String url) {
        return failed.contains(url);
    }

    void record(Result result) throws IOException {
        write(result);
    }

    private void write(Result result) throws IOException {
        ByteBuffer line = ByteBuffer.wrap(result.toLine().getBytes(StandardCharsets.UTF_8));
        while (line.hasRemaining()) {
            end += file.write(line);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
