/** Reasons why an audit does not start. The console has a text for each in its languages; commands show these texts. */
const OBSTACLES = {
  "no-connection":
    "there is no connection to the tax authority; carry the sales on a stick with tillseal audit export DIR, or connect this machine and try again",
  "no-card": "the card is not in the reader",
  pin: "the card asks for its PIN; enter it first, on the console's page Till or with POST /api/v3/pin",
  doubt: "a sale is in doubt and must be settled first",
  "not-compared": "the card could not be asked for its last invoice",
  ended: "the audit has ended",
} as const;

/** Reason why an audit does not start. `card` means that the card refused and gave its own reason. */
export type AuditObstacle = keyof typeof OBSTACLES | "card";

export function obstacleText(obstacle: keyof typeof OBSTACLES): string {
  return OBSTACLES[obstacle];
}

/** Finds the obstacle that a text is about. @param reason a text of {@link obstacleText}, or the card's own reason */
export function obstacleIn(reason: string): AuditObstacle {
  const known = Object.keys(OBSTACLES) as (keyof typeof OBSTACLES)[];
  return known.find((obstacle) => OBSTACLES[obstacle] === reason) ?? "card";
}
