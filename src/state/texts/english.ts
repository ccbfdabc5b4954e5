/** The texts of the findings in English. */

/** The texts of a finding. People read the first finding with its advice, and the sentences of the others. */
export interface FindingText {
  readonly sentence: string;
  /** What a shopkeeper does. */
  readonly advice: string;
  /** Commands and files, for technicians. */
  readonly technicians?: string;
}

export const ENGLISH = {
  held: {
    sentence: "One receipt is not saved yet. Do not switch off.",
    advice:
      "The card has signed the sale, but its receipt is in memory only. It is saved as soon as that works. Until then, nothing can be sold.",
  },
  diskFull: {
    sentence: "The disk is full. Nothing can be sold.",
    advice: "Free some space in {folder}. The next sale tries the disk again.",
  },
  storeGone: {
    sentence: "The store of the receipts was removed or replaced. Nothing can be sold.",
    advice: "Bring the old {folder} back if you can, and restart the service.",
  },
  storeTaken: {
    sentence: "Another tillseal writes to the store. Nothing can be sold.",
    advice: "Two services use {folder}. Stop one of them.",
  },
  storeBusy: {
    sentence: "Another program holds the store. Nothing can be sold.",
    advice: "Close the program that uses {folder}.",
  },
  storeDamaged: {
    sentence: "The store of the receipts is damaged. Nothing can be sold.",
    advice: "Call your technician, and keep your backups.",
    technicians: "tillseal verify says what is damaged in {folder}.",
  },
  notStored: {
    sentence: "Receipts cannot be stored. Nothing can be sold.",
    advice: "{folder} cannot be written. Check its disk, and who may write there.",
  },
  noReader: {
    sentence: "There is no card reader.",
    advice: "Plug it in. If it is plugged in, call your technician.",
    technicians: "The PC/SC service may not run: tillseal doctor says what is missing.",
  },
  noCard: { sentence: "There is no card in the reader.", advice: "Put the card in, with the chip first." },
  starting: { sentence: "The service is checking the card reader.", advice: "Wait a few seconds." },
  unreachable: {
    sentence: "The card does not answer.",
    advice: "Take the card out, wipe the chip and put it in again.",
  },
  working: {
    sentence: "The card has worked on a sale since {time}. Leave it in.",
    advice: "The receipt comes when the card answers. If it does not, this page says so within 10 s.",
  },
  unsupported: {
    sentence: "This card is not supported.",
    advice: "Put in the card that the tax authority has issued for this shop.",
  },
  locked: {
    sentence: "The card is locked for good.",
    advice: "The PIN was wrong too often. Ask the tax authority for a new card.",
  },
  ratesDamaged: {
    sentence: "The stored tax rates are damaged.",
    advice:
      "Nothing can be sold with them. Restore a backup of the store, or ask the tax authority to send them again.",
  },
  noRatesNow: {
    sentence: "No tax rates are valid at this time.",
    advice: "Set the clock if it is wrong. If it is right, ask the tax authority for its tax rates.",
  },
  waitsForAuthority: {
    sentence: "There are no tax rates yet.",
    advice: "The tax authority sends them. See below whether it answers.",
  },
  notConfigured: {
    sentence: "There are no tax rates yet.",
    advice: "Your technician sets them up.",
    technicians: "Name the file with the tax rates: environment: FILE in tillseal.yaml, or --environment FILE.",
  },
  certificateNotYet: {
    sentence: "The card's certificate is not valid at this time.",
    advice: "It becomes valid later. If the clock is right, ask the tax authority for a new card.",
  },
  certificateEnded: {
    sentence: "The card's certificate is not valid at this time.",
    advice: "It has ended. If the clock is right, ask the tax authority for a new card.",
  },
  disabled: {
    sentence: "The tax authority has switched signing off.",
    advice: "Nothing can be sold before it switches signing on again.",
  },
  counterAtEnd: {
    sentence: "The card's invoice counter is at its end.",
    advice: "Ask the tax authority for a new card.",
  },
  cardRefuses: {
    sentence: "The card refuses to sign.",
    advice: "Take the card out, put it in again and enter the PIN. If that does not help, ask the tax authority.",
  },
  limitReached: {
    sentence: "The card has reached its limit.",
    advice: "Nothing can be sold before the tax authority has audited the card, over the internet or with a stick.",
    technicians: "The command is tillseal audit now; without internet, tillseal audit export DIR.",
  },
  oldCardUnproven: {
    sentence: "The card {uid} must be audited first. Its sales without a proof: {sales}. This card cannot sell.",
    advice: "Put the old card into the reader and start an audit, or take its sales to the tax authority on a stick.",
    technicians: "The command for the stick is tillseal audit export DIR --uid {uid}.",
  },
  packagesFull: {
    sentence: "Too many sales wait for an audit: nothing more can be sold.",
    advice: "Let the tax authority audit the card, over the internet or with a stick.",
    technicians: "The command is tillseal audit now; without internet, tillseal audit export DIR.",
  },
  pinNeeded: { sentence: "The card waits for its PIN.", advice: "Enter it. Before that, nothing can be sold." },
  inDoubt: {
    sentence: "A sale is in doubt. No other sale is signed.",
    advice: "The card may have signed it; we do not know yet. Settle it first.",
  },
  otherInDoubt: {
    sentence: "A sale of the card {cards} is in doubt.",
    advice: "Other cards do not wait for it. Put that card into the reader, and settle the sale soon.",
  },
  wasDisabled: {
    sentence: "The last sale was refused at {time}: signing was switched off.",
    advice: "The next sale asks the card again. If it is refused, ask the tax authority to switch signing on.",
  },
  receiptsLate: {
    sentence: "Receipts have waited for {days} days. As far as this store knows, the tax authority does not have them.",
    advice:
      "They must be there within {limit} days, else the card may stop. Connect the till to the internet now, or carry them on a stick.",
    technicians: "The command for a stick is tillseal audit export DIR.",
  },
  testCard: {
    sentence: "This is a test card: its receipts are not valid.",
    advice: "Put in the card that the tax authority has issued for this shop.",
  },
  swapped: {
    sentence: "Two cards have the number {cards}.",
    advice: "Stop selling and ask the tax authority. Then confirm the report.",
  },
  back: {
    sentence: "The counter of the card {cards} went back.",
    advice: "Stop selling and ask the tax authority. Then confirm the report.",
  },
  behind: {
    sentence: "Invoices of the card {cards} are missing or incomplete in this store.",
    advice: "Find the receipts and keep them. Then confirm the report.",
  },
  lost: {
    sentence: "The card {cards} counted a sale, but its signature is lost.",
    advice: "Report the counter to the tax authority. Then confirm the report.",
  },
  unproven: {
    sentence: "The card {cards} signed a sale, but its signature is damaged.",
    advice: "Report the counter to the tax authority. Then confirm the report.",
  },
  changesWait: {
    sentence: "Changes of tax rates or addresses wait for your yes: {commands}.",
    advice:
      "They came in a file that is not signed. Read them on the page Audit, or with tillseal audit confirm. If the tax authority did not give you the file, refuse them.",
  },
  configurationChanged: {
    sentence: "Tax rates or addresses have changed: {changes}.",
    advice: "Compare them with what the tax authority has published. Then confirm that you have seen them.",
  },
  entryDamaged: {
    sentence: "Stored receipts are damaged: at least {entries}.",
    advice: "Call your technician: the disk must be checked. Keep your backups.",
    technicians: "tillseal verify names them.",
  },
  indexDamaged: {
    sentence:
      "An index or a row of the store is damaged. No sale is signed twice because of it, but the disk may be failing.",
    advice: "Run tillseal verify. Keep your backups, check the disk, and restore a backup when the shop is closed.",
  },
  logKept: {
    sentence: "Receipts are stored, but not at their final place. The disk may be failing.",
    advice: "Make a backup, and call your technician.",
    technicians: "The file tillseal.db cannot be written, so tillseal.db-wal beside it grows.",
  },
  diskLow: {
    sentence: "The disk is nearly full: {free} MiB are free.",
    advice: "A full disk stops the till. Free some space soon.",
  },
  certificateEnds: {
    sentence: "The card's certificate ends soon. Days left: {days}.",
    advice: "After that the card no longer signs. Ask the tax authority for a new card now.",
  },
  packagesSoon: {
    sentence: "Soon too many sales wait for an audit.",
    advice: "Let the tax authority audit the card, over the internet or with a stick.",
    technicians: "The command is tillseal audit now; without internet, tillseal audit export DIR.",
  },
  keyLocked: {
    sentence: "The PIN of the key for the tax authority is locked.",
    advice: "Sales do not need it, but no audit goes over the internet. Ask the tax authority. Until then use a stick.",
  },
  keyExpired: {
    sentence: "The certificate of the key for the tax authority ended on {day}.",
    advice:
      "Sales do not need it, but there are no audits over the internet. Ask the tax authority for a new card. Until then, use a stick.",
  },
  keyAttemptMissing: {
    sentence: "A wrong PIN was entered for the key for the tax authority; attempts left: {attempts}.",
    advice: "The service sends no PIN on its own now. Enter the right one.",
    technicians: "The command is tillseal pki-pin.",
  },
  keyPinNeeded: {
    sentence: "The key for the tax authority needs its PIN.",
    advice: "Without it no audit goes over the internet. Enter it.",
    technicians: "The command is tillseal pki-pin.",
  },
  keyMissing: {
    sentence: "The key for the tax authority cannot be used: {reason}.",
    advice: "No audit goes over the internet. Call your technician.",
    technicians: "tillseal doctor shows each step.",
  },
  keyRefused: {
    sentence: "The tax authority gives no access with the key in the card: {reason}.",
    advice:
      "Sales do not need it until the card's limit is reached. Ask the tax authority, and use a stick until then.",
  },
  packageSignature: {
    sentence: "The tax authority found the signature of receipts invalid: {counters}.",
    advice: "Show it the receipts with these counters, and ask what to do. Other receipts do not wait for these.",
  },
  packageData: {
    sentence: "The tax authority found the card's data in receipts wrong: {counters}.",
    advice: "Show it the receipts with these counters, and ask what to do. Other receipts do not wait for these.",
  },
  packageRates: {
    sentence: "The tax authority does not know the tax rates of receipts: {counters}.",
    advice:
      "Ask it to send its tax rates again, and what to do about these counters. Other receipts do not wait for these.",
  },
  packageRevoked: {
    sentence: "The card's certificate was revoked before receipts were signed: {counters}.",
    advice: "Ask the tax authority for a new card, and what to do about these counters.",
  },
  packageWrong: {
    sentence: "The tax authority could not use receipts: {counters}.",
    advice: "Ask the tax authority what to do. Other receipts do not wait for these.",
    technicians: "tillseal audit status shows its answer.",
  },
  packageUnmade: {
    sentence: "Damaged receipts cannot be sent to the tax authority: {counters}.",
    advice: "Call your technician, and ask the tax authority what to do about these counters.",
    technicians: "tillseal verify names them. An older backup may have them undamaged.",
  },
  salesMissing: {
    sentence:
      "This store does not have the sales of the card {cards} with the counters {counters}. The tax authority may refuse the proof of audit without them.",
    advice:
      "Run tillseal audit export: it takes them from store.before-restore-* in the data folder, or with --from FILE from another store or backup. If no store has them, name these counters to the tax authority and ask what to do.",
  },
  receiptsSoonLate: {
    sentence: "Receipts have waited for {days} days. As far as this store knows, the tax authority does not have them.",
    advice: "They must be there within {limit} days. Connect the till to the internet, or carry them on a stick.",
    technicians: "The command for a stick is tillseal audit export DIR.",
  },
  timeZoneUnknown: {
    sentence: "The parameters have an unknown time zone: {zone}.",
    advice: "Receipts show the time of {inForce}. If that is wrong, tell the tax authority.",
  },
  languagesUnknown: {
    sentence: "Receipts cannot be printed in a language of the parameters: {languages}.",
    advice: "Receipts are in the other languages. If you need this one, tell the maker of tillseal.",
  },
  auditDue: {
    sentence: "An audit is due.",
    advice:
      "Three quarters of the card's limit are used. Let the tax authority audit it soon, over the internet or with a stick.",
    technicians: "The command is tillseal audit now; without internet, tillseal audit export DIR.",
  },
  backupsAhead: {
    sentence: "Backups are dated in the future: {backups}. They do not count as backups.",
    advice:
      "Check the clock of this machine: it is behind now, or it was ahead when they were made. Delete them when you do not need them.",
  },
  clockOff: {
    sentence: "The clock differs from the time server.",
    advice: "Receipts print the time of this machine. Set its clock.",
  },
} as const satisfies Readonly<Record<string, FindingText>>;

export type FindingKey = keyof typeof ENGLISH;
