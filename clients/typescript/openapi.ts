/** Written by `npm run docs` from the OpenAPI document. Do not edit. */

/**
 * 0100 right, 2100 wrong, 2110 locked, 1300 no card, 2220 the card does not answer, 2230 a card of another protocol
 */
export type PinAnswer = "0100" | "1300" | "2100" | "2110" | "2220" | "2230";

export interface Operations {
  /**
   * 200 when the service runs; never gated. Never gated.
   *
   * 200: the service runs
   *
   * 400: 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again
   */
  attention: {
    answers: {
      "200": null;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * verify the PIN of the card. The session ends when the card is pulled out or the service is restarted. A right PIN on an open session changes nothing.
   *
   * 200: the code alone, as JSON to JSON and as text to text
   *
   * 400: 2800 Required field is missing; 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 423: the code alone, as JSON to JSON and as text to text
   *
   * 500: 1999 Other warning, see mssc or details
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 1999 Too many request bodies are arriving at once, and this one took the longest; send it again
   */
  pin: {
    body: Pin | string | number;
    answers: {
      "200": PinAnswer;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "423": PinAnswer;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * card, PIN, audit, tax rates. Always 200, with or without a card, within a second. While a card is busy or hangs, the answer has its last known values. After 2 s without an answer from the card, `gsc` begins with 2220.
   *
   * 200: the status
   *
   * 400: 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 500: 1999 Other warning, see mssc or details
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again
   */
  status: {
    answers: {
      "200": Status;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * environment of the authority. What the authority has configured.
   *
   * 200: the environment
   *
   * 400: 1300 Smart card is not present; 2400 Not configured; 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again
   */
  environmentParameters: {
    answers: {
      "200": EnvironmentParameters;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * fiscalize an invoice. The card signs the invoice. Send a RequestId with every sale: after a lost answer the same request gets the same receipt. With 2220, `details` says what happened to the sale: it was not signed; it is in doubt, so repeat it with the same RequestId; or the card counted it without a receipt, which is final.
   *
   * 200: signed
   *
   * 400: 1100 Store of unsent audit packages is 90 % full; 1300 Smart card is not present; 2110 Card locked: no PIN attempts are left; 2210 Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up; 2310 Invalid tax labels; 2400 Not configured; 2800 Required field is missing; 2801 Value is too long; 2802 Value is too short; 2803 Value has the wrong length; 2804 Value is out of range; 2805 Invalid value; 2806 Invalid format; 2807 List has too few entries; 2808 List has too many entries; 2809 Invoice time is outside the validity of the card's certificate
   *
   * 401: 1500 PIN required
   *
   * 403: this host, origin or web page may not call
   *
   * 406: no such language
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 1999 Too many request bodies are arriving at once, and this one took the longest; send it again; 2220 the queue is full (setting queueLength) and this sale was not signed; or the sale with this RequestId is not finished yet
   */
  invoices: {
    body: Invoice;
    headers?: {
      /**
       * makes the sale safe to repeat: the same invoice under the same id gets the stored answer
       */
      RequestId?: string;
      /**
       * languages of the receipt, the preferred one first, separated by semicolons or commas
       */
      "Accept-Language"?: string;
    };
    answers: {
      "200": InvoiceAnswer;
      "400": ErrorRecord;
      "401": ErrorRecord;
      "403": ErrorRecord;
      "406": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * the stored answer of the card's last invoice; `journal` is null if the store does not have its invoice. Not in the specification. Several deployed services have it.
   *
   * 200: the stored answer
   *
   * 400: 1300 Smart card is not present; 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 404: no such invoice
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 2220 the card's last sale is not finished or in doubt
   */
  lastInvoice: {
    answers: {
      "200": InvoiceAnswer;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "404": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * the stored answer of a RequestId, after a lost answer. Not in the specification, but every careful POS needs it. It answers at once, also while sales wait.
   *
   * 200: the stored answer
   *
   * 400: 1300 Smart card is not present; 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 404: no such invoice
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 2220 the sale waits for the card, is at work, or is in doubt
   */
  invoice: {
    path: {
      /**
       * RequestId of the sale
       */
      requestId: string;
    };
    answers: {
      "200": InvoiceAnswer;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "404": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * the receipt of a RequestId as bytes for a receipt printer. Not in the specification. Send the bytes to the printer as they are: text in code pages 1251 and 1250 (`ESC t` 46 and 45), the QR code before the last line, a cut. `qr=command` lets the printer draw the QR code (`GS ( k`), `qr=raster` sends it as a picture (`GS v 0`).
   *
   * 200: bytes
   *
   * 400: 1300 Smart card is not present; 2801 Value is too long; 2805 Invalid value; 2806 Invalid format
   *
   * 403: this host, origin or web page may not call
   *
   * 404: no such invoice
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 2220 the sale waits for the card, is at work, or is in doubt
   */
  escPos: {
    path: {
      /**
       * RequestId of the sale
       */
      requestId: string;
    };
    query?: {
      /**
       * width of the paper
       */
      paper?: "58mm" | "80mm";
      /**
       * who draws the QR code
       */
      qr?: "command" | "raster";
    };
    answers: {
      "200": Uint8Array;
      "400": ErrorRecord;
      "403": ErrorRecord;
      "404": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
  /**
   * a Training Sale of sample items. One sample item for each tax label. Fields of a body replace the sample's, except for the two types.
   *
   * 200: signed
   *
   * 400: 1100 Store of unsent audit packages is 90 % full; 1300 Smart card is not present; 2110 Card locked: no PIN attempts are left; 2210 Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up; 2310 Invalid tax labels; 2400 Not configured; 2800 Required field is missing; 2801 Value is too long; 2802 Value is too short; 2803 Value has the wrong length; 2804 Value is out of range; 2805 Invalid value; 2806 Invalid format; 2807 List has too few entries; 2808 List has too many entries; 2809 Invoice time is outside the validity of the card's certificate
   *
   * 401: 1500 PIN required
   *
   * 403: this host, origin or web page may not call
   *
   * 406: no such language
   *
   * 500: 1999 Other warning, see mssc or details; 2220 Cannot connect to the Secure Element; 2230 Card protocol is not supported
   *
   * 503: 1999 400 connections are open and wait for an answer; send the request again; 1999 Too many request bodies are arriving at once, and this one took the longest; send it again; 2220 the queue is full (setting queueLength) and this sale was not signed; or the sale with this RequestId is not finished yet
   */
  testInvoice: {
    /**
     * fields of an invoice
     */
    body?: {
      [k: string]: unknown;
    };
    headers?: {
      /**
       * makes the sale safe to repeat: the same invoice under the same id gets the stored answer
       */
      RequestId?: string;
      /**
       * languages of the receipt, the preferred one first, separated by semicolons or commas
       */
      "Accept-Language"?: string;
    };
    answers: {
      "200": InvoiceAnswer;
      "400": ErrorRecord;
      "401": ErrorRecord;
      "403": ErrorRecord;
      "406": ErrorRecord;
      "500": ErrorRecord;
      "503": ErrorRecord;
    };
  };
}
export interface ErrorRecord {
  /**
   * the first code
   */
  code: FiscalCode;
  /**
   * what the code means
   */
  message: string;
  /**
   * what is wrong and where, for people
   */
  details: string;
  /**
   * every wrong field with its codes
   */
  modelState: {
    /**
     * `items[0].labels[0]`; empty for the whole
     */
    property: string;
    errors: FiscalCode[];
  }[];
  /**
   * the sale never gets a receipt: sell it again under a new RequestId
   */
  final?: true;
}
export interface Pin {
  pin: string | number;
}
export interface Status {
  isPinRequired: boolean;
  auditRequired: boolean;
  /**
   * UTC, with milliseconds
   */
  sdcDateTime: string;
  /**
   * empty if there is none, or if the store cannot be read
   */
  lastInvoiceNumber: string;
  protocolVersion: string;
  secureElementVersion: string;
  hardwareVersion: string;
  softwareVersion: string;
  deviceSerialNumber: string;
  make: string;
  model: string;
  /**
   * the maker's own codes: 9001 The card N counted a sale, but its signature is lost.; 9002 This is a test card: its receipts are not valid.; 9003 A sale is in doubt. No other sale is signed. Or: A sale of the card N is in doubt.; 9004 Invoices of the card N are missing or incomplete in this store.; 9005 The counter of the card N went back.; 9006 The card N signed a sale, but its signature is damaged.; 9007 One receipt is not saved yet. Do not switch off.; 9008 The disk is full. Nothing can be sold. Or: The store of the receipts was removed or replaced. Nothing can be sold. Or: Another tillseal writes to the store. Nothing can be sold. Or: Another program holds the store. Nothing can be sold. Or: The store of the receipts is damaged. Nothing can be sold. Or: Receipts cannot be stored. Nothing can be sold.; 9009 Backups are dated in the future: N. They do not count as backups. Or: The clock differs from the time server.; 9010 Two cards have the number N.; 9011 The card's certificate ends soon. Days left: N.; 9012 The disk is nearly full: N MiB are free.; 9013 The PIN of the key for the tax authority is locked. Or: The certificate of the key for the tax authority ended on N. Or: A wrong PIN was entered for the key for the tax authority; attempts left: N. Or: The key for the tax authority needs its PIN. Or: The key for the tax authority cannot be used: N. Or: The tax authority gives no access with the key in the card: N.; 9014 Stored receipts are damaged: at least N. Or: An index or a row of the store is damaged. No sale is signed twice because of it, but the disk may be failing. Or: Receipts are stored, but not at their final place. The disk may be failing.; 9015 Receipts have waited for N days. As far as this store knows, the tax authority does not have them.; 9016 Receipts have waited for N days. As far as this store knows, the tax authority does not have them.; 9017 The tax authority found the signature of receipts invalid: N. Or: The tax authority found the card's data in receipts wrong: N. Or: The tax authority does not know the tax rates of receipts: N. Or: The card's certificate was revoked before receipts were signed: N. Or: The tax authority could not use receipts: N. Or: Damaged receipts cannot be sent to the tax authority: N.; 9018 The parameters have an unknown time zone: N. Or: Receipts cannot be printed in a language of the parameters: N.; 9019 Changes of tax rates or addresses wait for your yes: N. Or: Tax rates or addresses have changed: N.; 9020 This store does not have the sales of the card N with the counters N. The tax authority may refuse the proof of audit without them.; 9021 The card has worked on a sale since N. Leave it in.; 9022 The last sale was refused at N: signing was switched off.
   */
  mssc: string[];
  /**
   * state of card, authority and configuration; 0210 or 0220 after the authority was contacted
   */
  gsc: FiscalCode[];
  /**
   * language tags, as the authority spells them
   */
  supportedLanguages: string[];
  /**
   * empty without a card that can be used
   */
  uid: string;
  taxAuthorityApi: string;
  /**
   * the same as taxAuthorityApi
   */
  taxCoreApi: string;
  /**
   * null if none are in force
   */
  currentTaxRates: {
    /**
     * UTC, with milliseconds
     */
    validFrom: string;
    groupId: number;
    taxCategories: {
      name: string;
      categoryType: 0 | 1 | 2;
      taxRates: {
        rate: number;
        label: string;
      }[];
      orderId: number;
    }[];
  } | null;
  allTaxRates: {
    /**
     * UTC, with milliseconds
     */
    validFrom: string;
    groupId: number;
    taxCategories: {
      name: string;
      categoryType: 0 | 1 | 2;
      taxRates: {
        rate: number;
        label: string;
      }[];
      orderId: number;
    }[];
  }[];
  /**
   * where rates and parameters come from: `tax authority, since` a time; `imported file` or `restored backup`, also with a time, if a person confirmed them; `file` and its name from the settings; or empty if nothing is configured
   */
  environmentSource: string;
  /**
   * time since which 0210 or 0220 applies; null if neither applies
   */
  taxAuthoritySince: string | null;
  /**
   * seconds by which the clock is ahead of the time server's, negative if it is behind; null if it was not compared
   */
  clockDrift: number | null;
}
export interface EnvironmentParameters {
  organizationName: string;
  serverTimeZone: string;
  street: string;
  city: string;
  country: string;
  endpoints: {
    taxpayerAdminPortal: string;
    taxAuthorityApi: string;
    vsdc: string;
    root: string;
    taxCoreApi: string;
  };
  environmentName: string;
  logo: string;
  ntpServer: string;
  /**
   * language tags, as the authority spells them
   */
  supportedLanguages: string[];
  /**
   * where rates and parameters come from: `tax authority, since` a time; `imported file` or `restored backup`, also with a time, if a person confirmed them; `file` and its name from the settings; or empty if nothing is configured
   */
  environmentSource: string;
}
/**
 * Names of fields and of enumerations may be in any case. Unknown fields are ignored. A number in a text field is its text. `null`, and an empty text or `false` in an optional text field, mean absent.
 */
export interface Invoice {
  /**
   * local time of the invoice on the till's clock; its digits are printed, only if it is sent; ISO 8601, or yyyy-MM-dd HH:mm:ss
   */
  dateAndTimeOfIssue?: string | ("" | null | false);
  /**
   * identifier of the cashier
   */
  cashier?: (string | number) | ("" | null | false);
  /**
   * buyer identifier
   */
  buyerId?: (string | number) | ("" | null | false);
  /**
   * buyer cost centre identifier, or the purpose of the invoice
   */
  buyerCostCenterId?: (string | number) | ("" | null | false);
  /**
   * type of invoice
   */
  invoiceType:
    ("Normal" | "Proforma" | "Copy" | "Training" | "Advance") | (0 | 1 | 2 | 3 | 4 | "0" | "1" | "2" | "3" | "4");
  /**
   * sale or refund
   */
  transactionType: ("Sale" | "Refund") | (0 | 1 | "0" | "1");
  /**
   * payments; their sum need not equal the total
   *
   * @maxItems 1000
   */
  payment: {
    /**
     * amount paid; rounded half up to 4 decimals, and printed with 2
     */
    amount: number;
    /**
     * means of payment
     */
    paymentType:
      | ("Other" | "Cash" | "Card" | "Check" | "WireTransfer" | "Wire Transfer" | "Voucher" | "MobileMoney")
      | (0 | 1 | 2 | 3 | 4 | 5 | 6 | "0" | "1" | "2" | "3" | "4" | "5" | "6");
  }[];
  /**
   * invoice number assigned by the caller
   */
  invoiceNumber?: (string | number) | ("" | null | false);
  /**
   * number of the invoice that a Copy or Refund refers to
   */
  referentDocumentNumber?: (string | number) | ("" | null | false);
  /**
   * local time of the invoice that is referred to, as printed on it; chooses the tax rates; ISO 8601, or yyyy-MM-dd HH:mm:ss
   */
  referentDocumentDT?: string | ("" | null | false);
  /**
   * what to leave out of the answer
   */
  options?:
    | {
        /**
         * no QR code in the answer
         */
        omitQRCodeGen?: ("0" | "1") | boolean | (0 | 1 | "true" | "false") | ("" | null);
        /**
         * no journal in the answer
         */
        omitTextualRepresentation?: ("0" | "1") | boolean | (0 | 1 | "true" | "false") | ("" | null);
      }
    | ("" | null);
  /**
   * items
   *
   * @minItems 1
   * @maxItems 1000
   */
  items: {
    /**
     * GTIN
     */
    gtin?: (string | number) | ("" | null | false);
    /**
     * item name
     */
    name: string | number;
    /**
     * quantity, 0.001 and more; at most 3 decimals
     */
    quantity: number;
    /**
     * price per unit, tax included; at most 2 decimals
     */
    unitPrice: number;
    /**
     * tax labels, of those in currentTaxRates
     *
     * @minItems 1
     */
    labels: string[];
    /**
     * total for the line, tax included; at most 2 decimals
     */
    totalAmount: number;
  }[];
}
export interface InvoiceAnswer {
  requestedBy: string;
  signedBy: string;
  /**
   * local time with its offset, and milliseconds
   */
  sdcDateTime: string;
  /**
   * counter of the pair of types / total counter, and the extension
   */
  invoiceCounter: string;
  /**
   * letters of invoice type and transaction type
   */
  invoiceCounterExtension: string;
  /**
   * requestedBy-signedBy-totalCounter
   */
  invoiceNumber: string;
  /**
   * where a customer checks the receipt; the QR code's text
   */
  verificationUrl: string;
  /**
   * the image as a data URI, or as bare base64 of a GIF if `answerForm` is device; null if it was left out
   */
  verificationQRCode: string | null;
  /**
   * the receipt as text for 40 columns, lines end with CRLF; null if it was left out or is not in this store
   */
  journal: string | null;
  /**
   * `Success`, or why there is no journal of the card's last invoice
   */
  messages: string;
  /**
   * base64
   */
  encryptedInternalData: string;
  /**
   * base64; RSA-2048, PKCS#1 v1.5, SHA-1
   */
  signature: string;
  totalCounter: number;
  transactionTypeCounter: number;
  totalAmount: number;
  /**
   * `groupId` of the tax rates that were used
   */
  taxGroupRevision: number;
  /**
   * the only array or object of this answer
   */
  taxItems: {
    /**
     * 0 on net, 1 on total, 2 amount per quantity
     */
    categoryType: 0 | 1 | 2;
    categoryName: string;
    label: string;
    rate: number;
    /**
     * 4 decimals
     */
    amount: number;
  }[];
  businessName: string;
  tin: string;
  locationName: string;
  address: string;
  district: string;
  mrc: string;
}

/** Every code of the catalogue; CODES of codes.ts says what each means. */
export type FiscalCode = "0000" | "0100" | "0210" | "0220" | "1100" | "1300" | "1400" | "1500" | "1999" | "2100" | "2110" | "2210" | "2220" | "2230" | "2310" | "2400" | "2800" | "2801" | "2802" | "2803" | "2804" | "2805" | "2806" | "2807" | "2808" | "2809";

export const OPERATIONS = {
  attention: {"method":"GET","path":"/api/v3/attention","answer":"nothing"},
  pin: {"method":"POST","path":"/api/v3/pin","answer":"json"},
  status: {"method":"GET","path":"/api/v3/status","answer":"json"},
  environmentParameters: {"method":"GET","path":"/api/v3/environment-parameters","answer":"json"},
  invoices: {"method":"POST","path":"/api/v3/invoices","answer":"json"},
  lastInvoice: {"method":"GET","path":"/api/v3/invoices","answer":"json"},
  invoice: {"method":"GET","path":"/api/v3/invoices/{requestId}","answer":"json"},
  escPos: {"method":"GET","path":"/api/v3/invoices/{requestId}/escpos","answer":"bytes"},
  testInvoice: {"method":"POST","path":"/api/v3/test-invoice","answer":"json"},
} as const;
