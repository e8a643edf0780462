package dev.pacer.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * What one worker is to do; the first line it reads. Not in its arguments, because a database URL has a password in it,
 * and anybody may read the arguments of a process.
 *
 * @param worker its number, from 0
 * @param plan the whole run, of which every {@code processes}-th resource is this worker's
 * @param host the vendor, as host and port; also the key that is paced
 * @param database where the cursor is shared, or null to pace without sharing
 * @param data where the demo's own PostgreSQL has its data, or null if it has none of its own
 */
record Task(int worker, Plan plan, String host, @Nullable String database, @Nullable String data) {

    private static final JsonMapper JSON = new JsonMapper();

    String toLine() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static Task ofLine(String line) throws JsonProcessingException {
        return JSON.readValue(line, Task.class);
    }
}
