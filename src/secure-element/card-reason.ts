/**
 * Why there is no usable card, as a code: the console has a text for each in its languages. No I/O, because the console
 * imports this file.
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
  /** The values in the text. */
  readonly values?: Readonly<Record<string, string>>;
}
