/** Which requests a POS must send in a situation, and which are forbidden. */
import type { RequestFilter } from "./request-types.js";

/** What must have been sent. Exactly one of `sent`, `signed` and `notSent`. */
export interface RequestExpectation {
  /** Why, for people. */
  readonly say?: string;
  readonly sent?: RequestFilter;
  /** A request for which an invoice was signed. */
  readonly signed?: RequestFilter;
  /** No such request. In an order: none between the request before it and the one after it. */
  readonly notSent?: RequestFilter;
  /** Exactly so many. Default: at least one. */
  readonly times?: number;
  /** At most so long after the POS's first request; in an order, after the request before it. */
  readonly within?: string;
  /** ISO 8601: sent before this time. */
  readonly before?: string;
  /** ISO 8601: sent at this time or later. */
  readonly after?: string;
  /** A check of the order can keep values of this request for later filters, each with its place, such as `answer.invoiceNumber`. */
  readonly capture?: Readonly<Record<string, string>>;
}

/** Requests in this order; others may come in between. */
export interface OrderExpectation {
  readonly say?: string;
  readonly inOrder: readonly RequestExpectation[];
}

export type Expectation = RequestExpectation | OrderExpectation;
