/** Emulated cards for programs that use PC/SC. One of them is in the system's virtual reader. */
import { mkdirSync } from "node:fs";
import { Mutex } from "../../src/base/mutex.js";
import { ConfigError } from "../../src/config/config-error.js";
import { CallError } from "../../src/http/call-errors.js";
import { type FolderLock, lockFolder } from "../../src/ledger/lock.js";
import { CARD_OPERATION_NAMES, operationOf } from "../../src/secure-element/apdu/instructions.js";
import { CardAtAuthority } from "../card/card-at-authority.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import type { NamedCards } from "../card/named-cards.js";
import { type Fault, worksOnPublishedCard } from "../faults/fault.js";
import type { Faults } from "../faults/fault-list.js";
import { exchangeWithFaults } from "../faults/faulty-exchange.js";
import { DirectAudits } from "../tax-authority/direct-audits.js";
import { PublishedReader } from "../vpcd/published-reader.js";
import type { VpcdLinkOptions } from "../vpcd/vpcd-link.js";
import { cardRecord } from "./card-bench.js";
import type { CardRecord } from "./card-types.js";
import { CARD_ROWS, type Controllable, doStep } from "./do-step.js";
import { type Given, withBase } from "./given.js";
import type { LookName } from "./look.js";
import { makeParts, WORLD_KEYS, type WorldParts } from "./parts.js";
import type { WorldStep } from "./step-types.js";
import { WorldFolder } from "./world-folder.js";

export interface PublishedOptions extends VpcdLinkOptions {
  /** Folder with the state of the cards. Without a folder, the state is lost at the end. */
  readonly dataDir?: string | undefined;
  readonly base: Given;
  readonly seed: string;
}

export class PublishedCards implements Controllable {
  readonly published: PublishedReader;
  readonly first: Given;
  private parts: WorldParts;
  readonly audits = new DirectAudits(
    () => this.card && new CardAtAuthority(this.card),
    () => this.card?.profile.uid,
    WORLD_KEYS.authorityPrivateKey,
  );
  /** Runs only one start at a time, because two starts at once would mix their cards. */
  private readonly mutex = new Mutex();

  private constructor(
    public given: Given,
    private readonly options: PublishedOptions,
    private readonly folder: WorldFolder,
    private readonly lock: FolderLock | undefined,
  ) {
    this.first = given;
    this.parts = this.partsOf(given);
    this.published = new PublishedReader(this.reader, options);
    this.faults.addAll(given.faults ?? []);
  }

  /** Rejects with ConfigError if `given` asks for something impossible, or another process uses the data folder. */
  static async open(given: Given, options: PublishedOptions): Promise<PublishedCards> {
    const { dataDir } = options;
    const lock = dataDir === undefined ? undefined : lockOf(dataDir);
    // With 0, each signature is on the disk before its answer leaves, because other processes store the receipts.
    const folder = new WorldFolder(dataDir, 0);
    try {
      return new PublishedCards(aboutCards(withBase(options.base, given)), options, folder, lock);
    } catch (error) {
      await folder.remove();
      lock?.release();
      throw error;
    }
  }

  /** Puts the card into the virtual reader. Resolves when pcscd has the card, or after a time limit. */
  start(): Promise<void> {
    return this.published.settle();
  }

  async close(): Promise<void> {
    await this.published.close();
    await this.folder.remove();
    this.lock?.release();
  }

  get reader(): EmulatedReader {
    return this.parts.reader;
  }

  get faults(): Faults {
    return this.parts.faults;
  }

  get card(): EmulatedCard | undefined {
    return this.published.connected ? this.reader.card : undefined;
  }

  get cards(): NamedCards {
    return this.parts.cards;
  }

  get pinState(): CardRecord["pin"] {
    if (!this.card) return "no-card";
    if (this.card.memory.load().pinTriesLeft === 0) return "locked";
    return this.card.isPinVerified ? "verified" : "required";
  }

  async insert(name = this.cards.current): Promise<void> {
    const card = this.parts.cards.select(name);
    // If the card is in the reader already, we leave it there, so that the programs that use it keep their connection.
    if (this.reader.card !== card) this.reader.insert(card);
    await this.published.settle();
  }

  async plug(): Promise<void> {
    this.reader.plug();
    await this.published.settle();
  }

  /** Programs that use the card do not poll: only a card that is put in again shows them the change. */
  async lockChanged(): Promise<void> {
    if (this.card) await this.published.putInAgain();
  }

  /** Does a step that needs only a card. @throws CallError if the step needs more, or sets a fault that cannot strike */
  do(step: WorldStep): unknown {
    if ("faults" in step && step.faults !== "clear") step.faults.forEach(requireOnCard);
    return doStep(CARD_ROWS, this, step);
  }

  look(what: LookName): unknown {
    return what === "faults" ? this.faults.list : cardRecord(this);
  }

  removeFault(id: number): boolean {
    return this.faults.remove(id);
  }

  get base(): Given {
    return this.options.base;
  }

  /** Starts other cards. @param whole its parts that are not about cards are left out */
  begin(whole: Given): Promise<void> {
    return this.mutex.run(async () => {
      const given = aboutCards(whole);
      // We refuse an impossible `given` before we erase anything.
      this.partsOf(given);
      await this.published.close();
      this.folder.clearCards();
      this.given = given;
      this.parts = this.partsOf(given);
      this.audits.request = undefined;
      this.faults.addAll(given.faults ?? []);
      await this.published.use(this.reader);
    });
  }

  private partsOf(given: Given): WorldParts {
    return makeParts(given, {
      intercept: {
        connect: (run) => run(),
        exchange: (command, run, connected) =>
          exchangeWithFaults({ on: operationOf(command[1]) }, run, this.parts, connected),
      },
      folder: this.folder,
      realTime: true,
      seed: this.options.seed,
    });
  }
}

/** Locks the data folder, so that no other process overwrites the cards. */
function lockOf(dataDir: string): FolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const locked = lockFolder(dataDir);
  if (locked) return locked;
  throw new ConfigError(`${dataDir} is in use by another tillseal; stop it or choose another data folder`);
}

/** @throws ConfigError or CallError if the fault could never strike */
function requireOnCard(fault: Fault): void {
  requireNoWhere(fault);
  if (worksOnPublishedCard(fault)) return;
  const advice = `with a published card the operations are ${CARD_OPERATION_NAMES.join(", ")}, and the clock does not jump`;
  throw new CallError(400, `${fault.kind} on ${fault.on} does not concern the card`, [advice]);
}

/** @throws ConfigError for a fault that depends on a request */
function requireNoWhere({ where }: Fault): void {
  if (where) throw new ConfigError("where has no effect on a published card: its requests come from other programs");
}

/** The parts of `given` about cards. The rest describes the service, which is another process here. */
function aboutCards({ card = {}, otherCards, seed, faults = [] }: Given): Given {
  faults.forEach(requireNoWhere);
  return {
    card,
    ...(otherCards ? { otherCards } : {}),
    ...(seed === undefined ? {} : { seed }),
    faults: faults.filter(worksOnPublishedCard),
  };
}
