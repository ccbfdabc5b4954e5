/** The secure element applet (protocol facts, sections 1 and 2): executes its APDU commands. */
import { type KeyObject, sign, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Random } from "../../src/base/random.js";
import { encodeCounters } from "../../src/fiscal/sign-answer.js";
import { encodeSignedHeader, writeAmount } from "../../src/fiscal/signing-header.js";
import { encodeVersion, signsWithCrc, takesAsciiPin } from "../../src/secure-element/apdu/applet-version.js";
import { SECURE_ELEMENT_AID } from "../../src/secure-element/apdu/card-session.js";
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import { CLA_SECURE_ELEMENT, INS, P1P2, P1P2_WITH_CRC } from "../../src/secure-element/apdu/instructions.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { appendCrc, encodeSignRequest, stripCrc } from "../../src/secure-element/apdu/sign-format.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";
import { encryptAuditRequest, NONCE_BYTES, openDirective, openProofOfAudit } from "../pki/audit.js";
import { encodeInternalData, MAX_CATEGORIES } from "../pki/internal-data.js";
import { BLOCK_BYTES, encryptBlock } from "../pki/rsa-block.js";
import { type Applet, done, status } from "./applet.js";
import { afterSale, type CardMemory, type CardState, pairOf } from "./card-state.js";
import type { CardProfile } from "./profile.js";
import { fromEightByteForm, type ParsedSignRequest, parseSignRequest } from "./sign-request.js";

const signAsync = promisify(sign);

/** A recorded trace has it with INS 04, 11 and 13; a profile with `zeroP1P2` accepts it everywhere. */
const ZERO_P1P2 = 0x0000;
const PIN_BYTES = 4;
const COUNTER_END = 0xffffffff;
const MAX_AMOUNT = (1n << 56n) - 1n;
/** The four bytes in front of the block in the answer to Start Audit. */
const AUDIT_PREFIX = Buffer.from("01000000", "hex");

export interface SecureElementKeys {
  /** The signing key, RSA-2048. */
  readonly cardKey: KeyObject;
  readonly authorityPublicKey: KeyObject;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
}

export class SecureElementApplet implements Applet {
  readonly aids = [SECURE_ELEMENT_AID];
  isPinVerified = false;

  constructor(
    private readonly profile: CardProfile,
    private readonly memory: CardMemory,
    private readonly keys: SecureElementKeys,
    private readonly random: Random,
  ) {}

  reset(): void {
    this.isPinVerified = false;
  }

  async process(command: CommandApdu): Promise<ResponseApdu> {
    if (command.cla !== CLA_SECURE_ELEMENT) return status(SW.UNKNOWN_CLA);
    const p1p2 = (command.p1 << 8) | command.p2;
    const crcForm = p1p2 === P1P2_WITH_CRC && signsWithCrc(this.profile.appletVersion);
    const zeroForm = p1p2 === ZERO_P1P2 && this.profile.zeroP1P2;
    if (p1p2 !== P1P2 && !crcForm && !zeroForm) return status(SW.WRONG_P1P2);
    switch (command.ins) {
      case INS.certificate:
        return done(this.keys.certificate);
      case INS.taxAuthorityKey:
        return done(this.authorityKey());
      case INS.version:
        return done(encodeVersion(this.profile.appletVersion));
      case INS.verifyPin:
        return status(this.pinAnswer(this.verifyPin(command.data)));
      case INS.exportInternalData:
        return done(this.auditData());
      case INS.sign:
        return this.signInvoice(command.data, crcForm);
      case INS.amountStatus:
        return done(this.amountStatus());
      case INS.lastSigned:
        return this.profile.lastSignedInvoice ? this.lastSigned() : status(SW.UNKNOWN_INS);
      case INS.pinTriesLeft:
        if (!this.profile.pinTriesLeftCommand) return status(SW.UNKNOWN_INS);
        return done(Uint8Array.of(this.memory.load().pinTriesLeft));
      case INS.endAudit:
        return status(this.endAudit(command.data));
      case INS.startAudit:
        return done(this.startAudit());
      case INS.directive:
        return status(this.directive(command.data));
      default:
        return status(SW.UNKNOWN_INS);
    }
  }

  private verifyPin(pin: Uint8Array): number {
    const state = this.memory.load();
    if (state.pinTriesLeft === 0) return SW.PIN_TRIES_USED_UP;
    if (pin.length !== PIN_BYTES) return SW.WRONG_PIN_LENGTH;
    const base = takesAsciiPin(this.profile.appletVersion) ? 0x30 : 0;
    const expected = Uint8Array.from(this.profile.pin, (digit) => Number(digit) + base);
    const correct = timingSafeEqual(expected, pin);
    // Real cards count the attempt before they compare the PIN. This card saves the count before it answers, which has
    // the same effect: no attempt is free.
    const triesLeft = correct ? this.profile.pinTries : state.pinTriesLeft - 1;
    if (triesLeft !== state.pinTriesLeft) this.memory.save({ ...state, pinTriesLeft: triesLeft });
    this.isPinVerified = correct;
    if (correct) return SW.DONE;
    return triesLeft === 0 ? SW.PIN_TRIES_USED_UP : SW.WRONG_PIN;
  }

  /** Gives a refusal of a PIN the form that the profile chooses. */
  private pinAnswer(statusWord: number): number {
    if (this.profile.pinAnswers === "documented") return statusWord;
    if (statusWord === SW.WRONG_PIN) return SW.NO_TRIES_LEFT | Math.min(this.memory.load().pinTriesLeft, 15);
    return statusWord === SW.PIN_TRIES_USED_UP ? SW.AUTHENTICATION_BLOCKED : statusWord;
  }

  private async signInvoice(sent: Uint8Array, crcForm: boolean): Promise<ResponseApdu> {
    const state = this.memory.load();
    const refusal = this.refusal(state);
    if (refusal) return status(refusal);
    const data = crcForm ? stripCrc(sent) : sent;
    if (!data) return status(SW.BAD_DATA);
    const request = parseSignRequest(data) ?? this.oldForm(data);
    if (!request) return status(SW.WRONG_LENGTH);
    const wrong = this.wrongRequest(request, state);
    if (wrong) return status(wrong);

    const pairCounter = (state.pairCounters[pairOf(request)] ?? 0) + 1;
    if (pairCounter > COUNTER_END) return status(SW.COUNTER_AT_END);
    const next = afterSale(state, request, pairCounter, this.profile.addsToSum);
    const answer = await this.signedAnswer(request, next);
    // The card saves its counters before it answers: if it is pulled out now, only the answer is lost.
    this.memory.saveSigned({ ...next, lastAnswer: answer.toString("hex") });
    return done(crcForm ? appendCrc(answer) : answer);
  }

  /** Returns the status word with which the card currently refuses every invoice; undefined if the card signs. */
  private refusal(state: CardState): number | undefined {
    if (state.pinTriesLeft === 0) return SW.PIN_TRIES_USED_UP;
    if (!this.isPinVerified) return SW.PIN_REQUIRED;
    if (state.disabled) return SW.SIGNING_DISABLED;
    // The card signs the invoice that crosses the limit and refuses the next one.
    if (state.sum >= state.limit) return SW.AMOUNT_LIMIT_REACHED;
    return state.totalCounter >= COUNTER_END ? SW.COUNTER_AT_END : undefined;
  }

  private wrongRequest(request: ParsedSignRequest, state: CardState): number | undefined {
    if (request.categories.length > MAX_CATEGORIES) return SW.TOO_MANY_TAX_CATEGORIES;
    if (request.invoiceType > 4 || request.transactionType > 1) return SW.BAD_DATA;
    if (state.sum + request.totalAmount > MAX_AMOUNT) return SW.BAD_DATA;
    const { validFrom, validTo } = this.profile;
    const outside = request.time < BigInt(validFrom.getTime()) || request.time > BigInt(validTo.getTime());
    return outside ? SW.TIME_OUTSIDE_CERTIFICATE : undefined;
  }

  private oldForm(data: Uint8Array): ParsedSignRequest | undefined {
    const converted = this.profile.eightByteAmounts ? fromEightByteForm(data) : undefined;
    return converted && parseSignRequest(converted);
  }

  private async signedAnswer(request: ParsedSignRequest, next: CardState): Promise<Buffer> {
    const pairCounter = next.pairCounters[pairOf(request)] ?? 0;
    const counters = encodeCounters({ transactionTypeCounter: pairCounter, totalCounter: next.totalCounter });
    const { uid } = this.profile;
    const { totalCounter, sum, limit } = next;
    const plain = encodeInternalData({ uid, pairCounter, totalCounter, sum, limit, ...request });
    const blocks = this.profile.internalDataBytes / BLOCK_BYTES;
    const internalData = Array.from({ length: blocks }, () =>
      encryptBlock(plain, this.keys.authorityPublicKey, this.random),
    );
    const signed = Buffer.concat([request.header, counters, ...internalData]);
    const signature = await signAsync("RSA-SHA1", signed, this.keys.cardKey);
    return Buffer.concat([signed, signature]);
  }

  private async lastSigned(): Promise<ResponseApdu> {
    if (!this.isPinVerified) return status(SW.PIN_REQUIRED);
    const state = this.memory.load();
    if (state.totalCounter === 0) return status(SW.NO_SUCH_DATA);
    if (state.lastAnswer === null) {
      state.lastAnswer = (await this.madeUp(state)).toString("hex");
      this.memory.save(state);
    }
    const answer = Buffer.from(state.lastAnswer, "hex");
    return done(signsWithCrc(this.profile.appletVersion) ? appendCrc(answer) : answer);
  }

  /** For a card whose counters a test or the profile has set: an empty Normal Sale with these counters. */
  private async madeUp(state: CardState): Promise<Buffer> {
    const { taxpayer, validFrom } = this.profile;
    const time = Math.max(0, validFrom.getTime());
    const types = { invoiceType: "Normal", transactionType: "Sale" } as const;
    const header = encodeSignedHeader({ time, tin: taxpayer.tin, buyerId: "", ...types, totalAmount: 0n });
    const sent = encodeSignRequest({ header, categories: [] });
    const request = parseSignRequest(sent);
    if (!request) throw new Error("the emulated card cannot parse its own empty invoice");
    return this.signedAnswer(request, state);
  }

  private amountStatus(): Uint8Array {
    const { sum, limit } = this.memory.load();
    return Buffer.concat([writeAmount(sum), writeAmount(limit)]);
  }

  /** The emulator's own layout: total counter, the ten pair counters, sum, limit. */
  private auditData(): Uint8Array {
    const { totalCounter, pairCounters } = this.memory.load();
    const counters = Buffer.alloc(4 * (1 + pairCounters.length));
    [totalCounter, ...pairCounters].forEach((counter, i) => {
      counters.writeUInt32BE(counter, 4 * i);
    });
    return Buffer.concat([counters, this.amountStatus()]);
  }

  private startAudit(): Uint8Array {
    const state = this.memory.load();
    const nonce = Buffer.from(this.random.bytes(NONCE_BYTES)).toString("hex");
    this.memory.save({ ...state, auditNonce: nonce });
    const message = { uid: this.profile.uid, nonce, sum: state.sum };
    const block = encryptAuditRequest(message, this.keys.authorityPublicKey, this.random);
    return Buffer.concat([AUDIT_PREFIX, block]);
  }

  private endAudit(proof: Uint8Array): number {
    const state = this.memory.load();
    if (state.auditNonce === null) return SW.NO_AUDIT_OPEN;
    if (proof.length !== BLOCK_BYTES) return SW.WRONG_LENGTH;
    const message = openProofOfAudit(proof, this.keys.authorityPublicKey);
    if (message?.uid !== this.profile.uid || message.nonce !== state.auditNonce) return SW.BAD_PROOF_OF_AUDIT;
    // The proof does not cover amounts signed since Start Audit, so they stay in the sum.
    this.memory.save({ ...state, auditNonce: null, sum: state.sum - message.sum });
    return SW.DONE;
  }

  private directive(bytes: Uint8Array): number {
    const action = openDirective(bytes, this.profile.uid, this.keys.authorityPublicKey);
    if (!action) return SW.BAD_DATA;
    this.memory.save({ ...this.memory.load(), disabled: action === "disable" });
    return SW.DONE;
  }

  /** Returns the authority's public key: the modulus (256 bytes) and the exponent (3 bytes). */
  private authorityKey(): Uint8Array {
    const { n = "", e = "" } = this.keys.authorityPublicKey.export({ format: "jwk" });
    return Buffer.concat([Buffer.from(n, "base64url"), Buffer.from(e, "base64url")]);
  }
}
