/** What a shop does about each code that stops a sale, for docs/codes.md and docs/shop.md. */
import { FISCAL_CODES, type FiscalCode } from "../src/fiscal/codes.js";
import { ACTION_OF, ACTIONS, type StoppingCode } from "./client-codes.js";

interface Stop {
  readonly happened: string;
  /** Links are those of a page in docs/. */
  readonly todo: string;
}

const STOPS: Readonly<Record<StoppingCode, Stop>> = {
  "1100": {
    happened: "too many sales wait for a proof of audit",
    todo: "[audit the card](audit.md#when-too-many-sales-wait), with internet or with a stick",
  },
  "1300": { happened: "no card in the reader, or no reader", todo: "put the card in, then enter the PIN" },
  "1500": { happened: "the card needs its PIN", todo: "enter the PIN" },
  "1999": {
    happened: "a warning, such as a full disk",
    todo: "read the sentence on the console's page **Till**, or in the message on the till (`details`)",
  },
  "2100": { happened: "the PIN is wrong", todo: "enter the right PIN; each wrong one costs an attempt" },
  "2110": {
    happened: "no PIN attempts are left; the card is locked permanently",
    todo: "ask the tax authority for a new card",
  },
  "2210": {
    happened:
      "the card's limit is reached, the tax authority has switched signing off, or the card's invoice counter is used up",
    todo: "read the sentence on the page **Till**, and [follow the steps](audit.md#how-to-leave-2210): an audit, a question to the authority, or a new card",
  },
  "2220": {
    happened: "the card does not answer, or a sale is in doubt",
    todo: "take the card out and put it in again; [settle a sale in doubt](reports.md#a-sale-in-doubt)",
  },
  "2230": {
    happened: "this version of tillseal does not know the card's protocol",
    todo: "call the technician: upgrade tillseal, or ask the tax authority for another card",
  },
  "2400": {
    happened: "there are no tax rates",
    todo: "call the technician: [tax rates](shop.md#tax-rates) from a file, or [from the tax authority](tax-authority.md)",
  },
  "2809": {
    happened: "the machine's time is outside the validity of the card's certificate",
    todo: "[set the clock](tax-authority.md#the-clock). If it is right, the card has expired: ask the tax authority for a new one",
  },
};

const stops = FISCAL_CODES.toSorted().flatMap((code) => (isStop(code) ? [{ code, ...STOPS[code] }] : []));

function isStop(code: FiscalCode): code is StoppingCode {
  return code in STOPS;
}

/** Code, what happened, what a shop does. */
export const SHOP_ROWS = stops.map(({ code, happened, todo }) => [`\`${code}\``, happened, todo]);

/** Code, what a shop does, what a POS does. */
export const STOP_ROWS = stops.map(({ code, todo }) => [`\`${code}\``, todo, ACTIONS[ACTION_OF[code]]]);
