/** Opens the control interface on the port in the settings, or on a free port if the default is busy. */

import { codeOf } from "../base/thrown.js";
import type { LoadedConfig } from "../config/load.js";
import { startOrExplain } from "./start-or-explain.js";

/** @param open opens it on a port */
export function openControlAt<T>({ settings, sources }: LoadedConfig, open: (port: number) => Promise<T>): Promise<T> {
  const { controlPort = 0, controlHost = "" } = settings;
  const asked = sources.get("controlPort") !== "default";
  const opening = open(controlPort).catch((error: unknown) => {
    // The busy port is only a default: another emulator on the machine is no reason to fail.
    if (!asked && codeOf(error) === "EADDRINUSE") return open(0);
    throw error;
  });
  return startOrExplain(opening, { port: controlPort, host: controlHost }, "control-");
}
