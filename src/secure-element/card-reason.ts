/**
 * Codes for the reasons why there is no usable card. The console has a text for each code in each of its languages.
 * This file does no I/O, because the console imports it.
 */

export const CARD_REASONS = [
  ...(["notStarted", "closed"] as const),
  ...(["noModule", "noModulePcsclite", "noLibrary", "noLibraryLinux"] as const),
  ...(["noService", "noServiceLinux", "noServiceWindows"] as const),
  ...(["noReader", "noReaderNamed", "noCard", "noCardNamed", "reading", "unplugged"] as const),
  ...(["removed", "reset", "silent", "readerLost"] as const),
  ...(["noApplet", "unknownApplet", "badCertificate", "unexpected", "failed"] as const),
] as const;

export interface CardReason {
  readonly code: (typeof CARD_REASONS)[number];
  /** The values that the console inserts into the text for the code. */
  readonly values?: Readonly<Record<string, string>>;
}
