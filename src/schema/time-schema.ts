/** A point in time in a file or a request. Without a zone it is UTC. */
export const TIME_SCHEMA = {
  type: "string",
  format: "point-in-time",
  "x-expected": "a time such as 2026-01-31T12:00:00Z",
} as const;
