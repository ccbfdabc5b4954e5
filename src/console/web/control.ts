/** The emulator's control interface, as far as the console shows it. It has its own description at /control/openapi.json. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { call } from "./api.js";
import { useSpeech } from "./texts.js";
import { type Deed, useDeed } from "./ui.js";

export interface CardState {
  readonly reader: "plugged" | "unplugged";
  readonly inserted: boolean;
  readonly name: string;
  readonly uid: string;
  readonly taxpayer: Readonly<Record<string, string>>;
  readonly pin: string;
  readonly triesLeft: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly sum: string;
  readonly limit: string;
  readonly disabled: boolean;
  readonly appletVersion: string;
  readonly cards: readonly string[];
}

export interface SetFault {
  readonly id: number;
  readonly on: string;
  readonly kind: string;
  readonly nth?: number;
  readonly probability?: number;
  readonly ms?: number;
  readonly upTo?: number;
  readonly statusWord?: string;
  readonly bit?: number;
  readonly seen: number;
  readonly struck: number;
}

export interface ClockState {
  readonly at: string;
  readonly ticking: boolean;
}

export interface StoreState {
  readonly complete: number;
  readonly open: number;
  readonly lost: number;
  /** Folder that outlives the process; null where nothing is kept. */
  readonly keptIn: string | null;
}

export interface ShippedScenario {
  readonly name: string;
  readonly title: string;
  readonly given: object;
}

export interface JournalEntry {
  readonly id: number;
  readonly at: string;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, unknown>>;
  readonly answer: string;
  readonly apdus: readonly {
    readonly operation: string;
    readonly command: string;
    readonly answer?: string;
    readonly result: string;
  }[];
}

export interface Controls extends Deed {
  /** Address of the interface. */
  readonly url: string;
  /** Does something with the emulator; what has become of it is shown with the next change. */
  readonly act: (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, done?: () => void) => void;
}

export function useNewControls(url: string, done: () => void): Controls {
  const deed = useDeed(done);
  const act: Controls["act"] = (method, path, body, done) =>
    deed.run(async () => {
      await call(url + path, { method, body });
      done?.();
    });
  return { ...deed, url, act };
}

export const ControlsContext = createContext<Controls | undefined>(undefined);

export function useControls(): Controls {
  const controls = useContext(ControlsContext);
  if (!controls) throw new Error("there is no emulator on this page");
  return controls;
}

/** Asks first, where what was sold would be erased from a folder that somebody wants to keep. */
export function useErasing(): (erase: () => void) => void {
  const { say } = useSpeech();
  const { url, run } = useControls();
  return (erase) =>
    run(async () => {
      // As it is now: what was shown a moment ago may be less.
      const { keptIn, complete } = await call<StoreState>(`${url}/store`);
      if (keptIn === null || complete === 0 || confirm(say("erases", { folder: keptIn, complete }))) erase();
    });
}
