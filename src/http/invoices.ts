/** Handles the endpoints below /api/v3/invoices, and POST /api/v3/test-invoice. */
import { setImmediate as othersTurn } from "node:timers/promises";
import type { Request, RequestHandler, Response } from "express";
import type { Background } from "../base/repeater.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { Invoice } from "../fiscal/invoice.js";
import { chooseLanguage, type ReceiptLanguage } from "../fiscal/language.js";
import { qrCode } from "../fiscal/qr.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import type { Fiscalized, Fiscalizer, HungUp } from "../fiscalizer/fiscalizer.js";
import { requireCard } from "../fiscalizer/gates.js";
import type { Requester } from "../fiscalizer/make-intent.js";
import type { Entry } from "../ledger/ledger.js";
import { readAnswer } from "../ledger/receipt-content.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { bodyText, jsonBody } from "./body.js";
import { HttpError } from "./errors.js";
import { sendEscPos } from "./escpos.js";
import { QrThread } from "./qr-thread.js";
import type { InvoiceReader } from "./read-invoice.js";
import { note } from "./request-facts.js";
import { sendJsonText } from "./respond.js";
import { testInvoiceBody } from "./test-invoice.js";

/** This text is ASCII, because it is sent in a header. */
const TODAYS_RATES =
  "The time of the original is unknown, so this is taxed by today's rates: send referentDocumentDT with a Copy or Refund";

/** Number of items above which other connections get a turn between the parts of a sale. */
const MANY = 100;

/** Returns the beginning of a verification URL, before its data; undefined if the environment's beginning is used. */
export type RootOf = (request: Request) => string | undefined;

/** Returns the taxpayer for whom the card signs; undefined if the card signs for its own taxpayer. */
export type RequesterOf = (request: Request) => Requester | undefined;

export interface InvoiceOptions extends Pick<Background, "clock" | "log"> {
  readonly requestIdLength: number;
  readonly testInvoice: boolean;
  readonly root: RootOf | undefined;
  readonly requester: RequesterOf | undefined;
}

const QR_THREAD = new QrThread();

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const UUID_ADVICE = { message: ": send the UUID without hyphens, or set requestIdLength to 36" };

export class InvoiceHandlers {
  constructor(
    private readonly fiscalizer: Fiscalizer,
    private readonly secureElement: SecureElement,
    private readonly read: InvoiceReader,
    private readonly options: InvoiceOptions,
  ) {}

  readonly post: RequestHandler = async (request, response) => {
    const read = () => this.read(jsonBody(request));
    try {
      await this.fiscalize(request, response, await this.fiscalizer.gate(request), read);
    } catch (refusal) {
      const repeated = isOfNewSales(refusal) ? await this.repeated(request, read) : undefined;
      if (!repeated) throw refusal;
      await this.sendSold(request, response, repeated);
    }
  };

  /** Signs a Training Sale of sample items. Fields of the body replace fields of the sample. */
  readonly postTest: RequestHandler = async (request, response) => {
    if (!this.options.testInvoice) {
      throw FiscalError.of("2400", "", "Test invoices are off; turn them on with the setting testInvoice");
    }
    const environment = await this.fiscalizer.gate(request);
    await this.fiscalize(request, response, environment, () => {
      const body = bodyText(request).trim() === "" ? undefined : jsonBody(request);
      return this.read(testInvoiceBody(body, environment, this.options.clock.now()));
    });
  };

  /** Signs the sample of {@link postTest}, even if test invoices are off: its counter settles a sale in doubt. */
  readonly signSample = async (request: Request): Promise<void> => {
    const environment = await this.fiscalizer.gate(request);
    const invoice = this.read(testInvoiceBody(undefined, environment, this.options.clock.now()));
    // Use the shop's language, because the browser's language may not be supported.
    const language = languageFor(undefined, environment);
    await this.fiscalizer.fiscalize({ invoice, requestId: undefined, language, root: this.options.root?.(request) });
  };

  /**
   * Sends the stored answer of a RequestId. The specification has no such endpoint, but every careful client needs it
   * after a lost answer (protocol facts, section 4).
   */
  readonly get: RequestHandler = async (request, response) => {
    const stored = await this.stored(request);
    await this.send(request, response, this.fiscalizer.answerOf(stored));
  };

  /** Sends the receipt of a RequestId as bytes for a printer. */
  readonly escPos: RequestHandler = async (request, response) => {
    const stored = await this.stored(request);
    const { answer } = this.fiscalizer.answerOf(stored);
    sendEscPos(request, response, stored.intent, answer);
    note(request, { code: "0000", receipt: answer, replayed: true });
  };

  /** Sends the stored answer of the card's last invoice, as several deployed services do. */
  readonly getLast: RequestHandler = async (request, response) => {
    const { identity } = await requireCard(this.secureElement, request);
    const last = await this.fiscalizer.last(identity.uid);
    if (!last) throw new HttpError(404, "", "This card has signed no invoice that the store knows");
    await this.send(request, response, this.fiscalizer.answerOf(last));
  };

  private async stored(request: Request): Promise<Entry> {
    await requireCard(this.secureElement, request);
    const requestId = String(request.params.requestId);
    const stored = await this.fiscalizer.find(requestId, request);
    if (!stored) throw new HttpError(404, "requestId", "This store has no invoice with this RequestId");
    return stored;
  }

  /** Returns the stored answer to a repeat. It needs no rates and no valid certificate, because nothing is signed. */
  private async repeated(request: Request, read: () => Invoice): Promise<Fiscalized | undefined> {
    const { state } = this.secureElement;
    const requestId = state.kind === "ready" && state.pin === "verified" ? this.requestId(request) : undefined;
    return requestId === undefined ? undefined : this.fiscalizer.repeated(requestId, read, request);
  }

  private async fiscalize(
    request: Request,
    response: Response,
    environment: FiscalEnvironment,
    invoice: () => Invoice,
  ): Promise<void> {
    const requestId = this.requestId(request);
    const language = languageFor(request.headers["accept-language"], environment);
    const parsed = invoice();
    const isLong = parsed.items.length > MANY;
    if (isLong) await othersTurn();
    const { root, requester } = this.options;
    const sale = { invoice: parsed, requestId, language, root: root?.(request), requester: requester?.(request) };
    const hungUp: HungUp = (leave) => {
      response.once("close", () => {
        if (!response.writableFinished) leave();
      });
      return response.destroyed;
    };
    const result = await this.fiscalizer.fiscalize(sale, hungUp, request);
    if (result.todaysRates && !result.replayed) {
      const { referentDocumentNumber } = parsed;
      this.options.log.warn({ requestId, referentDocumentNumber }, TODAYS_RATES);
    }
    if (isLong) await othersTurn();
    await this.sendSold(request, response, result);
  }

  private async sendSold(request: Request, response: Response, result: Fiscalized): Promise<void> {
    const requestId = this.requestId(request);
    if (requestId !== undefined) response.setHeader("RequestId", requestId);
    if (result.replayed) response.setHeader("Idempotent-Replayed", "true");
    await this.send(request, response, result);
  }

  /** Sends an answer. It makes the QR code outside the queue of sales. */
  private async send(request: Request, response: Response, fiscalized: Fiscalized): Promise<void> {
    const { answer, qrFormat, replayed, todaysRates } = fiscalized;
    note(request, { code: "0000", receipt: answer, replayed });
    response.setHeader("Cache-Control", "no-store");
    // Code 299 is for a warning that stays true (RFC 7234, section 5.5.7).
    if (todaysRates) response.setHeader("Warning", `299 - "${TODAYS_RATES}"`);
    // A caller that has hung up sees no picture. Its request ends before those that waited for it.
    if (qrFormat === undefined || response.destroyed) {
      sendJsonText(response, answer);
      return;
    }
    const { verificationUrl } = readAnswer(answer);
    // While sales wait for the card, a second thread draws the QR code, because this thread must serve the sales.
    const elsewhere = qrFormat === "png" && this.fiscalizer.busy;
    const image = elsewhere ? await QR_THREAD.draw(verificationUrl) : qrCode(verificationUrl, qrFormat);
    // Replace the field, which the text contains once, as null (see buildAnswer): the text has exact numbers.
    sendJsonText(
      response,
      answer.replace('"verificationQRCode":null', () => `"verificationQRCode":"${image}"`),
    );
  }

  /** The RequestId of a request. @throws FiscalError 2803 if it is too long, 2805 if there are two, 2806 if it is no ASCII */
  private requestId(request: Request): string | undefined {
    const requestId = request.headers.requestid?.toString().trim();
    if (requestId === undefined || requestId === "") return undefined;
    // Node joins two headers of one name with a comma.
    if (requestId.includes(",") && (request.headersDistinct.requestid?.length ?? 0) > 1) {
      throw FiscalError.of("2805", "RequestId", "RequestId occurs more than once: send one");
    }
    // Headers are ASCII, so other characters would arrive changed.
    if (!/^[\x20-\x7e]+$/.test(requestId)) {
      throw FiscalError.of("2806", "RequestId", "RequestId has characters other than printable ASCII");
    }
    const longest = this.options.requestIdLength;
    if (requestId.length > longest) {
      throw FiscalError.of(
        "2803",
        "RequestId",
        "RequestId has {count} characters, at most {most} are allowed{advice}",
        { count: requestId.length, most: longest, advice: UUID.test(requestId) ? UUID_ADVICE : "" },
      );
    }
    return requestId;
  }
}

/** Whether a sale is refused because of its language, the date or the rates, which a repeat does not need. */
function isOfNewSales(refusal: unknown): boolean {
  if (refusal instanceof HttpError) return refusal.status === 406;
  return refusal instanceof FiscalError && (refusal.code === "2400" || refusal.code === "2809");
}

function languageFor(accepted: string | undefined, environment: FiscalEnvironment): ReceiptLanguage {
  const language = chooseLanguage(accepted, environment.languages);
  if (!language) {
    throw new HttpError(
      406,
      "Accept-Language",
      "None of these languages is supported; supported are {languages}. " +
        "A browser or a tablet sends its own Accept-Language unless the program sets the header",
      { languages: environment.languages.map(({ tag }) => tag).join(", ") },
    );
  }
  return language;
}
