package dev.pacer.http;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Where the clients themselves block: Spring draws the boundary of a multipart body from the system's random numbers,
 * wherever it writes one, the JDK's client takes a lock to close a connection, and Netty 4.2 one to allocate a buffer.
 */
public final class ClientsMayBlock implements BlockHoundIntegration {

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside("org.springframework.util.MimeTypeUtils", "generateMultipartBoundary");
    builder.allowBlockingCallsInside("jdk.internal.net.http.MultiExchange", "cancel");
    builder.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate");
  }
}
