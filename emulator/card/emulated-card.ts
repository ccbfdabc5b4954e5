/** A card with applets: power, reset, selection, and the pieces of a long answer. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { Mutex } from "../../src/mutex.js";
import type { Random } from "../../src/random.js";
import { ApduFormatError, type CommandApdu, decodeCommand } from "../../src/secure-element/apdu/command.js";
import { CLA_ISO, CLA_SECURE_ELEMENT, INS, P1P2 } from "../../src/secure-element/apdu/instructions.js";
import { encodeResponse, type ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";
import type { EmulatedKeys } from "../tax-authority/keys.js";
import { type Applet, status } from "./applet.js";
import { cardCertificate } from "./card-certificate.js";
import type { CardMemory, CardState } from "./card-state.js";
import { PkiApplet } from "./pki-applet.js";
import type { CardProfile } from "./profile.js";
import { SecureElementApplet } from "./secure-element-applet.js";

const SHORT_LE = 256;
/** The part of an AID that names who has registered it: fewer bytes would mean any applet. */
const RID_BYTES = 5;

/** T=1, historical bytes "TILLSEAL". The ATR of real cards is not known; no program may rely on it. */
export const ATR = withChecksum(Buffer.from([0x3b, 0x88, 0x01, ...Buffer.from("TILLSEAL", "latin1")]));

function withChecksum(bytes: Buffer): Buffer {
  // TCK: exclusive or over all but TS (ISO 7816-3, 8.2.5).
  return Buffer.concat([bytes, Buffer.from([bytes.subarray(1).reduce((sum, byte) => sum ^ byte, 0)])]);
}

export class EmulatedCard {
  readonly atr: Uint8Array = ATR;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
  private readonly mutex = new Mutex();
  private readonly secureElement: SecureElementApplet;
  private readonly applets: readonly Applet[];
  private selected: Applet | undefined;
  /** What GET RESPONSE still has to deliver. */
  private rest: Uint8Array = new Uint8Array();
  /** After 6Cxx the same command comes again: it gets this answer and is not executed twice. */
  private withheld: { readonly command: CommandApdu; readonly answer: ResponseApdu } | undefined;

  constructor(
    readonly profile: CardProfile,
    readonly memory: CardMemory,
    keys: EmulatedKeys,
    random: Random,
  ) {
    const cardKey = profile.key ? readFileSync(profile.key, "utf8") : keys.cardKey;
    this.certificate = cardCertificate(profile, cardKey, keys.issuing);
    const { certificate } = this;
    const secureElementKeys = {
      cardKey: privateKeyOf(cardKey),
      authorityPublicKey: keys.authorityPublicKey,
      certificate,
    };
    this.secureElement = new SecureElementApplet(profile, memory, secureElementKeys, random);
    this.applets = [this.secureElement, new PkiApplet(profile, memory, certificate, cardKey)];
  }

  /** Power on, power off, warm reset: all end every session. */
  reset(): void {
    this.selected = undefined;
    this.rest = new Uint8Array();
    this.withheld = undefined;
    for (const applet of this.applets) applet.reset();
  }

  /** A command APDU in, a response APDU out. Any input gets a valid response. */
  transmit(bytes: Uint8Array): Promise<Uint8Array> {
    return this.mutex.run(async () => {
      const { data, statusWord } = await this.answer(bytes);
      return encodeResponse(data, statusWord);
    });
  }

  /** Changes what the card remembers, between two commands: one that is under way would write over it. */
  alter(change: (state: CardState) => CardState): Promise<void> {
    return this.mutex.run(async () => this.memory.save(change(this.memory.load())));
  }

  /** A command for the secure element applet that leaves alone what a program has selected. */
  askSecureElement(ins: number, data: Uint8Array = new Uint8Array()): Promise<ResponseApdu> {
    const command = { cla: CLA_SECURE_ELEMENT, ins, p1: P1P2 >> 8, p2: P1P2 & 0xff, data };
    return this.mutex.run(() => this.secureElement.process(command));
  }

  get isPinVerified(): boolean {
    return this.secureElement.isPinVerified;
  }

  endPinSession(): void {
    this.secureElement.reset();
  }

  private async answer(bytes: Uint8Array): Promise<ResponseApdu> {
    let command: CommandApdu;
    try {
      command = decodeCommand(bytes);
    } catch (error) {
      if (error instanceof ApduFormatError) return status(SW.WRONG_LENGTH);
      throw error;
    }
    if (command.ins === INS.GET_RESPONSE) return this.nextPiece(command.le ?? SHORT_LE);
    this.rest = new Uint8Array();
    const { withheld } = this;
    this.withheld = undefined;
    if (command.cla === CLA_ISO && command.ins === INS.SELECT && command.p1 === 0x04) return this.select(command.data);
    if (!this.selected) return status(SW.UNKNOWN_CLA);
    const repeated = withheld && isRepeated(withheld.command, command);
    return this.shaped(command, repeated ? withheld.answer : await this.selected.process(command));
  }

  /** By the whole AID or by its first bytes (ISO 7816-4, 8.2.2), as OpenSC's driver for GIDS cards does it. */
  private select(name: Uint8Array): ResponseApdu {
    const begins = (aid: Uint8Array) => Buffer.from(aid.subarray(0, name.length)).equals(name);
    const applet = name.length < RID_BYTES ? undefined : this.applets.find(({ aids }) => aids.some(begins));
    if (!applet) return status(SW.NOT_FOUND);
    if (this.selected !== applet) this.selected?.reset();
    this.selected = applet;
    return status(SW.DONE);
  }

  /** An answer to a short Le, in the form that the profile chooses ({@link LONG_ANSWERS}). */
  private shaped(command: CommandApdu, answer: ResponseApdu): ResponseApdu {
    const { longAnswers } = this.profile;
    const { length } = answer.data;
    const short = command.le !== undefined && command.le <= SHORT_LE;
    if (longAnswers === "whole" || !short || length === 0) return answer;
    // As much of the answer as one short Le can ask for.
    const right = Math.min(length, SHORT_LE);
    if (longAnswers === "6Cxx" && command.le !== right) {
      this.withheld = { command, answer };
      return status(0x6c00 | (right & 0xff));
    }
    if (length <= SHORT_LE) return answer;
    this.rest = answer.data;
    return longAnswers === "61xx" ? status(0x6100) : this.nextPiece(SHORT_LE);
  }

  private nextPiece(length: number): ResponseApdu {
    if (this.rest.length === 0) return status(SW.UNKNOWN_INS);
    const data = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    const left = Math.min(this.rest.length, SHORT_LE);
    return { data, statusWord: left === 0 ? SW.DONE : 0x6100 | (left & 0xff) };
  }
}

function isRepeated(first: CommandApdu, second: CommandApdu): boolean {
  const header = ({ cla, ins, p1, p2 }: CommandApdu) => [cla, ins, p1, p2].join();
  return header(first) === header(second) && Buffer.from(first.data).equals(second.data);
}

/** By their PEM text: most cards of a process have the same one. */
const privateKeys = new Map<string, KeyObject>();

function privateKeyOf(pem: string): KeyObject {
  const known = privateKeys.get(pem);
  if (known) return known;
  const key = createPrivateKey(pem);
  // Few processes have more than one: those that make many need not keep them.
  privateKeys.clear();
  privateKeys.set(pem, key);
  return key;
}
