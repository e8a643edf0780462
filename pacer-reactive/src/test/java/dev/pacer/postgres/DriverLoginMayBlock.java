package dev.pacer.postgres;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound of the two places where the PostgreSQL driver blocks: a login by password, and TLS, now and then read
 * random bytes from the operating system. Without this no test could log in to a server that asks for them.
 */
public final class DriverLoginMayBlock implements BlockHoundIntegration {
    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.allowBlockingCallsInside("io.r2dbc.postgresql.authentication.SASLAuthenticationHandler", "handle");
        builder.allowBlockingCallsInside("io.r2dbc.postgresql.client.ReactorNettyClient", "registerSslHandler");
    }
}
