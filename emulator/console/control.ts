/** The emulator's control interface, as far as the console shows it. It has its own description at /control/openapi.json. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { InfoRecord } from "../../src/console/records.js";
import { call } from "../../src/console/web/api.js";
import type { Question } from "../../src/console/web/ask.js";
import { useSpeech } from "../../src/console/web/texts.js";
import { type Deed, useAction } from "../../src/console/web/ui.js";

/** Its address, as this browser reaches it; undefined with a real card. */
export function controlUrl({ controlPort }: InfoRecord): string | undefined {
  return controlPort === null ? undefined : `http://${location.hostname}:${controlPort}/control`;
}

export interface CardState {
  readonly reader: "plugged" | "unplugged";
  readonly inserted: boolean;
  readonly name: string;
  readonly uid: string;
  readonly taxpayer: Readonly<Record<string, string>>;
  readonly pin: string;
  readonly pinTriesLeft: number;
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
  readonly duration?: string;
  readonly upTo?: string;
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

export interface Controls extends Deed {
  /** Address of the interface. */
  readonly url: string;
  /** Does something with the emulator; what has become of it is shown with the next change. */
  readonly act: (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, done?: () => void) => void;
  /** Before something that cannot be undone. */
  readonly ask: (question: Question) => void;
}

export function useNewControls(url: string, ask: (question: Question) => void, done: () => void): Controls {
  const action = useAction(done);
  const act: Controls["act"] = (method, path, body, done) =>
    action.run(async () => {
      await call(url + path, { method, body });
      done?.();
    });
  return { ...action, url, act, ask };
}

export const ControlsContext = createContext<Controls | undefined>(undefined);

export function useControls(): Controls {
  const controls = useContext(ControlsContext);
  if (!controls) throw new Error("there is no emulator on this page");
  return controls;
}

/** Asks first, where receipts would be deleted: how many, and whether to remember everything before. */
export function useErasing(): (erase: () => void) => void {
  const { say } = useSpeech();
  const { url, run, act, ask } = useControls();
  return (erase) =>
    run(async () => {
      // The current state: what the page shows may be older.
      const { keptIn, complete, open, lost } = await call<StoreState>(`${url}/store`);
      const n = complete + open + lost;
      if (n === 0) {
        erase();
        return;
      }
      // `before-20261122031500`
      const name = `before-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, "")}`;
      ask({
        title: say("eraseAsk", { n }),
        means: `${keptIn === null ? "" : say("eraseFolder", { folder: keptIn })} ${say("eraseMeans")}`.trim(),
        answer: say("eraseAnswer", { n }),
        act: erase,
        safer: { answer: say("snapshotFirst"), act: () => act("PUT", `/snapshots/${name}`, undefined, erase) },
      });
    });
}
