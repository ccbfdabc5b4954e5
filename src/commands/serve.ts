/** `tillseal serve`: runs the service until it is stopped. */
import { spawn } from "node:child_process";
import { Command } from "commander";
import { HAS_EMULATOR } from "../base/package-root.js";
import { UserError } from "../base/user-error.js";
import type { LoadedConfig } from "../config/load.js";
import { API_PREFIX } from "../http/endpoints.js";
import { nearby } from "../http/listen.js";
import { endProcess, onEndSignal } from "./ending.js";
import { addSettingFlags, configFrom, type SettingFlags } from "./flags.js";
import { loadHarness } from "./harness.js";
import { type Running, type Starting, welcome } from "./running.js";
import { surroundings } from "./surroundings.js";
import { complain, explainFailure, print, printLines } from "./terminal.js";

export function serveCommand(): Command {
  const command = new Command("serve").description("run the service").option("--open", "open the console in a browser");
  command.option("--until-stdin-ends", "end when standard input ends: a test that is killed takes its service with it");
  addSettingFlags(command);
  if (HAS_EMULATOR) command.option("--no-authority", "run without the emulated tax authority (--authority false)");
  return command.action(async (flags: SettingFlags) => {
    const config = configFrom(flags);
    const starting: Starting = {
      load: () => configFrom(flags),
      gaveUp: (error) => endProcess(explainFailure(error), false),
      listens: (url) => printLines([`tillseal listens on ${url}${API_PREFIX}`]),
      stop: () => void started.then(end),
    };
    const emulated = config.settings.card === "emulator";
    const started = emulated
      ? serveEmulator(config, starting)
      : import("./serve-card.js").then(({ serveCard }) => serveCard(config, starting));
    const running = await started;
    onEndSignal(() => end(running));
    if (flags.untilStdinEnds)
      surroundings()
        .stdin.on("end", () => end(running))
        .resume();
    print(welcome(running));
    if (flags.open) {
      const page = nearby(running.url);
      openBrowser(page, () => complain(`no browser could be started; open ${page} yourself`));
    }
  });
}

async function serveEmulator(config: LoadedConfig, starting: Starting): Promise<Running> {
  const harness = await loadHarness();
  if (!harness) throw new UserError("the production package supports only --card pcsc");
  return harness.serveEmulator(config, starting);
}

function end({ stop, stuck }: Running): void {
  stop().then(
    () => endProcess(0, stuck()),
    (error: unknown) => endProcess(explainFailure(error), stuck()),
  );
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // `start` takes its first quoted argument as a window title, so pass an empty title.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a page in the user's preferred browser. @param failed called if no program on this machine opens pages */
function openBrowser(url: string, failed: () => void): void {
  const [command, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...before, url], { stdio: "ignore", detached: true });
  opener.once("error", failed);
  opener.once("exit", (status) => status !== 0 && failed());
  opener.unref();
}
