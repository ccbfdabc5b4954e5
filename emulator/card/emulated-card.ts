/** A card with applets. It handles power, reset, the selection of applets, and long answers. */
import { createPrivateKey } from "node:crypto";
import { Mutex } from "../../src/base/mutex.js";
import type { Random } from "../../src/base/random.js";
import { readText } from "../../src/base/read-text.js";
import { ApduFormatError, type CommandApdu, decodeCommand } from "../../src/secure-element/apdu/command.js";
import { CLA_ISO, CLA_SECURE_ELEMENT, GET_RESPONSE, INS, P1P2 } from "../../src/secure-element/apdu/instructions.js";
import { encodeResponse, type ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";
import type { EmulatedKeys } from "../pki/keys.js";
import { type Applet, status } from "./applet.js";
import { cardCertificate } from "./card-certificate.js";
import type { CardMemory, CardState } from "./card-state.js";
import { PkiApplet } from "./pki-applet.js";
import type { CardProfile } from "./profile.js";
import { SecureElementApplet } from "./secure-element-applet.js";

const SHORT_LE = 256;
/** Length of the part of an AID that names the registered provider. A shorter name could select any applet. */
const RID_BYTES = 5;

/** The exclusive or of all bytes of the ATR except the first and this one (ISO 7816-3, 8.2.5). */
const TCK = 0x8f;

/** T=1 and the text "TILLSEAL". The ATR of real cards is not known, so programs must not rely on it. */
export const ATR = Buffer.from([0x3b, 0x88, 0x01, ...Buffer.from("TILLSEAL", "latin1"), TCK]);

export class EmulatedCard {
  readonly atr: Uint8Array = ATR;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
  private readonly mutex = new Mutex();
  private readonly secureElement: SecureElementApplet;
  private readonly applets: readonly Applet[];
  private selected: Applet | undefined;
  /** The rest of an answer, which GET RESPONSE delivers. */
  private rest: Uint8Array = new Uint8Array();
  /** What the card withheld with 6Cxx. It sends this to a repeated command, and does not execute it again. */
  private withheld: { readonly command: CommandApdu; readonly answer: ResponseApdu } | undefined;

  constructor(
    readonly profile: CardProfile,
    readonly memory: CardMemory,
    keys: EmulatedKeys,
    random: Random,
  ) {
    const cardKey = profile.key ? readText(profile.key) : keys.cardKey;
    this.certificate = cardCertificate(profile, cardKey, keys.issuing);
    const { certificate } = this;
    const secureElementKeys = {
      cardKey: createPrivateKey(cardKey),
      authorityPublicKey: keys.authorityPublicKey,
      certificate,
    };
    this.secureElement = new SecureElementApplet(profile, memory, secureElementKeys, random);
    this.applets = [this.secureElement, new PkiApplet(profile, memory, certificate, cardKey)];
  }

  /** Ends all sessions. Called at power on, at power off and at a warm reset. */
  reset(): void {
    this.selected = undefined;
    this.rest = new Uint8Array();
    this.withheld = undefined;
    for (const applet of this.applets) applet.reset();
  }

  /** Executes a command APDU and returns the response APDU. Any input gets a valid response. */
  transmit(bytes: Uint8Array): Promise<Uint8Array> {
    return this.mutex.run(async () => {
      const { data, statusWord } = await this.answer(bytes);
      return encodeResponse(data, statusWord);
    });
  }

  /** Changes the card's state between two commands, because a running command would overwrite the change. */
  alter(change: (state: CardState) => CardState): Promise<void> {
    return this.mutex.run(async () => this.memory.save(change(this.memory.load())));
  }

  /** Executes a command of the secure element applet without changing which applet is selected. */
  askSecureElement(ins: number, data: Uint8Array = new Uint8Array()): Promise<ResponseApdu> {
    const command = { cla: CLA_SECURE_ELEMENT, ins, p1: P1P2 >> 8, p2: P1P2 & 0xff, data };
    return this.mutex.run(() => this.secureElement.process(command));
  }

  get isPinVerified(): boolean {
    return this.secureElement.isPinVerified;
  }

  private async answer(bytes: Uint8Array): Promise<ResponseApdu> {
    let command: CommandApdu;
    try {
      command = decodeCommand(bytes);
    } catch (error) {
      if (error instanceof ApduFormatError) return status(SW.WRONG_LENGTH);
      throw error;
    }
    if (command.ins === GET_RESPONSE) return this.nextPiece(command.le ?? SHORT_LE);
    this.rest = new Uint8Array();
    const { withheld } = this;
    this.withheld = undefined;
    if (command.cla === CLA_ISO && command.ins === INS.select && command.p1 === 0x04) return this.select(command.data);
    if (!this.selected) return status(SW.UNKNOWN_CLA);
    const repeated = withheld && isRepeated(withheld.command, command);
    return this.shaped(command, repeated ? withheld.answer : await this.selected.process(command));
  }

  /**
   * Selects an applet by its whole AID or by the first bytes of the AID (ISO 7816-4, 8.2.2). OpenSC's driver for GIDS
   * cards uses the first bytes. Ends the PIN session, also if the applet was selected before.
   */
  private select(name: Uint8Array): ResponseApdu {
    const begins = (aid: Uint8Array) => Buffer.from(aid.subarray(0, name.length)).equals(name);
    const applet = name.length < RID_BYTES ? undefined : this.applets.find(({ aids }) => aids.some(begins));
    if (!applet) return status(SW.NOT_FOUND);
    this.selected?.reset();
    this.selected = applet;
    return status(SW.DONE);
  }

  /** Gives an answer the form that the profile chooses ({@link LONG_ANSWERS}), also if the command has an extended Le. */
  private shaped(command: CommandApdu, answer: ResponseApdu): ResponseApdu {
    const { longAnswers } = this.profile;
    const { length } = answer.data;
    if (longAnswers === "whole" || command.le === undefined || length === 0) return answer;
    // The right Le requests the whole answer, or as much of the answer as a short Le can request.
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
