/** Chooses the texts of each report and each sale in doubt. They say what a shop must do about it (docs/tax-authority.md#reports). */
import type { DoubtRecord, ReportKind, ReportRecord } from "./records/reports.js";
import type { ENGLISH } from "./web/texts/english.js";

type TextKey = keyof typeof ENGLISH;

export interface ReportTexts {
  readonly message: TextKey;
  readonly todo: TextKey;
  /** The question that a person confirms. */
  readonly ask: TextKey;
}

const TEXTS: Readonly<Record<ReportKind, ReportTexts>> = {
  behind: { message: "behind", todo: "behindTodo", ask: "behindAsk" },
  back: { message: "wentBack", todo: "wentBackTodo", ask: "wentBackAsk" },
  swapped: { message: "swappedReport", todo: "swappedTodo", ask: "swappedAsk" },
  lost: { message: "lostReport", todo: "lostTodo", ask: "reportedAsk" },
  unproven: { message: "unprovenReport", todo: "unprovenTodo", ask: "reportedAsk" },
};

export function reportTexts({ kind, from, to, adopted }: ReportRecord): ReportTexts {
  const texts = TEXTS[kind];
  if (adopted) return { ...texts, message: from === to ? "adoptedOne" : "adoptedLast" };
  if (kind === "behind" && from === to) return { ...texts, message: "behindOne" };
  return kind === "lost" && from === null ? { ...texts, message: "lostUncounted" } : texts;
}

export const WAY_TEXTS = {
  pin: "wayPin",
  card: "wayCard",
  training: "wayTraining",
  person: "wayPerson",
} as const satisfies Record<DoubtRecord["wayOut"], TextKey>;
