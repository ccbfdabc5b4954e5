/** The folder with the store and the cards of a world. It is temporary, or it stays after the process ends. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OWNER_ONLY } from "../../src/base/private-file.js";
import { ConfigError } from "../../src/config/config-error.js";
import { invoiceNumber } from "../../src/fiscal/counters.js";
import { type MemoryStore, STORE_FILE, StoreError } from "../../src/ledger/database.js";
import { lockFolder } from "../../src/ledger/lock.js";
import { keptStores, STORE_FOLDER, STORE_MARK } from "../../src/ledger/store-folder.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { type CardMemory, type CardState, FolderMemory, VolatileMemory } from "../card/card-state.js";
import type { CardProfile } from "../card/profile.js";
import { MOST_UNSAVED, type SignedAfter, StoredMemory } from "../card/stored-memory.js";
import type { AuthorityFaults } from "../tax-authority/authority-faults.js";
import { type AuthorityContent, clearAuthorityFolder, FolderFiles } from "../tax-authority/authority-files.js";
import { completeSwap, isSwapping, swapWorld } from "./world-swap.js";

const CARDS = "card";
const AUTHORITY = "authority";

/** The parts of a snapshot that the folder has. */
export interface FolderContent {
  readonly cards: ReadonlyMap<string, CardState>;
  /** Content and faults of the authority; undefined if the world has no authority. */
  readonly authority: AuthoritySnapshot | undefined;
  readonly store: Uint8Array;
}

/** The content that the authority stores, and the authority's faults. */
export interface AuthoritySnapshot {
  readonly content: AuthorityContent;
  readonly faults: AuthorityFaults;
}

export class WorldFolder {
  readonly path: string;
  /** The store of a temporary folder, which is in memory. */
  readonly memoryStore: MemoryStore | undefined;
  private readonly store: string;
  private readonly cards: string;

  /** @param mostUnsaved number of signatures that a card's file may lack, because the store has their receipts */
  constructor(
    private readonly keptIn?: string,
    private readonly mostUnsaved = MOST_UNSAVED,
  ) {
    this.path = keptIn ?? mkdtempSync(join(tmpdir(), "tillseal-world-"));
    this.memoryStore = keptIn === undefined ? {} : undefined;
    this.store = join(this.path, STORE_FILE);
    this.cards = join(this.path, CARDS);
    this.completeSwap();
    if (keptIn !== undefined && !existsSync(this.store)) mkdirSync(this.cards, { recursive: true, mode: 0o700 });
  }

  /** The authority's folder; undefined if the data is temporary. */
  get authority(): string | undefined {
    return this.keptIn === undefined ? undefined : join(this.keptIn, AUTHORITY);
  }

  /** The folder of the online service; undefined if the data is temporary. */
  get vsdc(): string | undefined {
    return this.keptIn === undefined ? undefined : join(this.keptIn, "vsdc");
  }

  /** @param profile undefined if another card has the same UID, because the store finds receipts by the UID */
  memory(name: string, initial: CardState, profile: CardProfile | undefined): CardMemory {
    if (this.keptIn === undefined) return new VolatileMemory(initial);
    const file = new FolderMemory(this.cards, name, initial);
    if (!profile) return file;
    const signedAfter: SignedAfter = (uid, counter, answer) => {
      const answers = (store: StoreReading) => store.signedAfter(uid, invoiceNumber(uid, uid, counter), answer);
      const present = existsSync(this.store) ? StoreReading.open(this.path).use(answers) : [];
      return [...present, ...this.keptSince(name).flatMap((file) => inKept(file, answers))];
    };
    return new StoredMemory(file, profile, signedAfter, this.mostUnsaved);
  }

  /**
   * The stores that a restore has kept since the card's file was written, oldest first. They have signatures that the
   * file lacks if the service was killed before the restore.
   */
  private keptSince(card: string): readonly string[] {
    const written = statSync(join(this.cards, `${card}.json`), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // The rename of its folder sets this time.
    const since = keptStores(this.path).filter((file) => statSync(dirname(file)).ctimeMs >= written);
    return since.toReversed();
  }

  /** A store without emulated cards may be a shop's. @throws ConfigError if a world may not empty this folder */
  requireOwn(): void {
    if (this.memoryStore || existsSync(this.cards)) return;
    throw new ConfigError(
      `${this.path} has a store without emulated cards, which may be a shop's; nothing is erased. Choose another data folder`,
    );
  }

  /** Replaces the world, all or nothing. @param next undefined: an empty store and new cards */
  replace(cardFiles: ReadonlyMap<string, string>, next?: FolderContent): void {
    if (this.memoryStore) {
      this.memoryStore.content = next?.store;
      return;
    }
    const make = (folder: string) => {
      if (!next) return;
      mkdirSync(join(folder, STORE_FOLDER));
      writeFileSync(join(folder, STORE_FILE), next.store, { mode: OWNER_ONLY });
      for (const [name, state] of next.cards)
        new FolderMemory(join(folder, CARDS), cardFiles.get(name) ?? name, state).save(state);
      if (next.authority) new FolderFiles(join(folder, AUTHORITY), next.authority.content);
    };
    swapWorld(this.path, make, () => this.clear());
  }

  /** Completes a replacement that was interrupted. A running service has the lock, and completes its own. */
  private completeSwap(): void {
    if (this.keptIn === undefined || !isSwapping(this.keptIn)) return;
    const lock = lockFolder(this.keptIn);
    if (!lock) return;
    try {
      completeSwap(this.keptIn, () => this.clear());
    } finally {
      lock.release();
    }
  }

  private clear(): void {
    rmSync(join(this.path, STORE_MARK), { force: true });
    empty(join(this.path, STORE_FOLDER));
    if (this.authority !== undefined) clearAuthorityFolder(this.authority);
    if (this.vsdc !== undefined) rmSync(this.vsdc, { recursive: true, force: true });
    this.clearCards();
  }

  /** Removes the files of all cards, so that each card starts again from its profile. */
  clearCards(): void {
    empty(this.cards);
  }

  /** Returns the bytes of the store. Call this method only while no service runs. */
  readStore(): Uint8Array {
    return this.memoryStore?.content ?? readFileSync(this.store);
  }

  /** Removes a temporary folder. Other worlds of the process can work during the removal. */
  async remove(): Promise<void> {
    if (this.keptIn === undefined) await rm(this.path, { recursive: true, force: true });
  }
}

function empty(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** The answers in a kept store; none if it is damaged, which is often the reason for a restore. */
function inKept(file: string, answers: (store: StoreReading) => readonly Uint8Array[]): readonly Uint8Array[] {
  try {
    return StoreReading.openFile(file).use(answers);
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}
