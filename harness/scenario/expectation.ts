/** Describes which requests a POS must send in a situation, and which it must not send. `schema.ts` says more. */
import type { RequestFilter } from "./request-types.js";

/** Expects that the POS sends a request, or that it does not. Exactly one of `sent`, `signed` and `notSent` is set. */
export interface RequestExpectation {
  readonly say?: string;
  readonly sent?: RequestFilter;
  readonly signed?: RequestFilter;
  readonly notSent?: RequestFilter;
  readonly times?: number;
  readonly within?: string;
  readonly before?: string;
  readonly after?: string;
  readonly capture?: Readonly<Record<string, string>>;
}

/** Expects several requests in the order of the list. Other requests may come in between. */
export interface OrderExpectation {
  readonly say?: string;
  readonly inOrder: readonly RequestExpectation[];
}

export type Expectation = RequestExpectation | OrderExpectation;
