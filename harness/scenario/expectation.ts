/** Describes which requests a POS must send in a situation, and which requests it must not send. */
import type { RequestFilter } from "./request-types.js";

/** Expects that the POS sends a request, or that it does not. Exactly one of `sent`, `signed` and `notSent` is set. */
export interface RequestExpectation {
  /** Text for people that says why the authority or a shop needs this expectation. */
  readonly say?: string;
  readonly sent?: RequestFilter;
  /** Fields of a request for which an invoice must be signed. */
  readonly signed?: RequestFilter;
  /**
   * Fields of a request that the POS must not send. In an order, it must not come between its neighbours in the list.
   */
  readonly notSent?: RequestFilter;
  /** Exact number of requests that must match. Default: at least one request. */
  readonly times?: number;
  /**
   * Longest time between the POS's first request and this request. In an order, the time starts at the request before.
   */
  readonly within?: string;
  /** The POS must send the request before this time, ISO 8601. */
  readonly before?: string;
  /** The POS must send the request at this time or later, ISO 8601. */
  readonly after?: string;
  /**
   * In an order: names of the values that later filters use, each with the value's place in this request, such as
   * `answer.invoiceNumber`.
   */
  readonly capture?: Readonly<Record<string, string>>;
}

/** Expects several requests in the order of the list. Other requests may come in between. */
export interface OrderExpectation {
  readonly say?: string;
  readonly inOrder: readonly RequestExpectation[];
}

export type Expectation = RequestExpectation | OrderExpectation;
