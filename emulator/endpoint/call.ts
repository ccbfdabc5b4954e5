/** A call of the control interface, once it has been validated. */

export interface ControlCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns the answer, if the endpoint has one. */
export type ControlHandler = (call: ControlCall) => unknown;
