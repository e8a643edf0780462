package dev.pacer.http;

import java.util.List;

/**
 * Which of a request's keys an answer is about, where the request has several. They are in the order in which the
 * request gave them, and that is from the widest to the narrowest: a credential's, then an endpoint's.
 */
public enum Scope {
  /** All of them. */
  ALL,

  /** The first: a limit of the credential, the tenant, the host. */
  WIDEST,

  /** The last: a limit of the endpoint, the resource. */
  NARROWEST;

  List<String> of(List<String> keys) {
    return switch (this) {
      case ALL -> keys;
      case WIDEST -> keys.subList(0, 1);
      case NARROWEST -> keys.subList(keys.size() - 1, keys.size());
    };
  }
}
