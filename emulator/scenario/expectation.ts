/** Which requests a POS must send in a situation, and which are forbidden. */
import type { RequestFilter } from "./request-types.js";

/** A request that must have been sent, or must not. It has exactly one of `sent`, `signed` and `notSent`. */
export interface RequestExpectation {
  /** Why the authority or a shop needs this, for people. */
  readonly say?: string;
  readonly sent?: RequestFilter;
  /** A request for which an invoice was signed. */
  readonly signed?: RequestFilter;
  /** A request that must not be sent; in an order, not between the request before it and the request after it. */
  readonly notSent?: RequestFilter;
  /** Exact number of matching requests. Default: at least one. */
  readonly times?: number;
  /** Longest time after the POS's first request; in an order, after the request before it. */
  readonly within?: string;
  /** ISO 8601: sent before this time. */
  readonly before?: string;
  /** ISO 8601: sent at this time or later. */
  readonly after?: string;
  /** In an order: names of values for later filters, and their places in this request, such as `answer.invoiceNumber`. */
  readonly capture?: Readonly<Record<string, string>>;
}

/** Requests in this order; other requests may come in between. */
export interface OrderExpectation {
  readonly say?: string;
  readonly inOrder: readonly RequestExpectation[];
}

export type Expectation = RequestExpectation | OrderExpectation;
