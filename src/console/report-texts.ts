/** Texts of each report and each sale in doubt, and what a shop does about it (docs/reports.md). */
import type { WayOut } from "../fiscalizer/way-out.js";
import type { ReportKind, ReportRecord } from "./records/reports.js";
import type { ENGLISH } from "./web/texts/english.js";

type TextKey = keyof typeof ENGLISH;

export interface ReportTexts {
  readonly what: TextKey;
  readonly todo: TextKey;
  /** The question that a person confirms. */
  readonly ask: TextKey;
}

const TEXTS: Readonly<Record<ReportKind, ReportTexts>> = {
  behind: { what: "behind", todo: "behindTodo", ask: "behindAsk" },
  back: { what: "wentBack", todo: "wentBackTodo", ask: "wentBackAsk" },
  swapped: { what: "swappedReport", todo: "swappedTodo", ask: "swappedAsk" },
  lost: { what: "lostReport", todo: "lostTodo", ask: "reportedAsk" },
  unproven: { what: "unprovenReport", todo: "unprovenTodo", ask: "reportedAsk" },
};

export function reportTexts({ kind, from, to }: ReportRecord): ReportTexts {
  const texts = TEXTS[kind];
  if (kind === "behind" && from === to) return { ...texts, what: "behindOne" };
  return kind === "lost" && from === null ? { ...texts, what: "lostUncounted" } : texts;
}

export const WAY_TEXTS = {
  pin: "wayPin",
  card: "wayCard",
  training: "wayTraining",
  person: "wayPerson",
} as const satisfies Record<WayOut, TextKey>;
