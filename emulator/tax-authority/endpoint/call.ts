/** A validated call of the control interface. */

export interface ControlCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Handles a call. Returns the answer, if the endpoint has one. */
export type ControlHandler = (call: ControlCall) => unknown;
