/**
 * Reads environment variables. Each setting has a variable. Misspelt variables are refused, because they would have no
 * effect.
 */
import { didYouMean } from "../base/did-you-mean.js";
import { ConfigError } from "./config-error.js";
import { environmentVariable, SETTING_NAMES, type SettingName } from "./settings.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names the configuration file. */
export const CONFIG_VARIABLE = "TILLSEAL_CONFIG";

/**
 * Matches variables that Kubernetes and Docker set for a service called `tillseal` or `tillseal-shop`:
 * TILLSEAL_SERVICE_HOST, TILLSEAL_PORT_8431_TCP_ADDR, and the variable of the setting `port` with an address,
 * TILLSEAL_PORT=tcp://10.0.0.1:8431.
 */
const SET_BY_ORCHESTRATOR = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const ADDRESS_OF_ORCHESTRATOR = /^(tcp|udp|sctp):\/\//;

/**
 * Matches variables that docker/compose.yaml and docker/offline-base.sh read. These variables may be exported in the
 * shell in which a command runs.
 */
const READ_BY_DOCKER_FILES = /^TILLSEAL_(BIND|USER|CACHE|(CARD_|PCSCD_)?IMAGE|PUBLISHED_(\w+_)?PORT)$/;

/** Matches variables in which the tests of a POS find the emulator that `tillseal rehearse -- COMMAND` has started. */
const FOR_TESTS_OF_A_POS = /^TILLSEAL_((CONTROL_|VSDC_)?URL|VSDC_(PAC|CERTIFICATE|PASSPHRASE|CA))$/;

/** The value of a setting's variable; undefined if the variable is not set. */
export function variableOf(name: SettingName, environment: Environment): string | undefined {
  const text = environment[environmentVariable(name)];
  return text !== undefined && ADDRESS_OF_ORCHESTRATOR.test(text) ? undefined : text;
}

/**
 * Refuses variables of unknown settings.
 * @throws ConfigError that names every unknown variable, and the known variables
 */
export function refuseUnknownVariables(environment: Environment): void {
  const known = [...SETTING_NAMES.map(environmentVariable), CONFIG_VARIABLE];
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("TILLSEAL_") && !known.includes(name) && !isForOthers(name, environment),
  );
  if (unknown.length === 0) return;
  const lines = unknown.map((name) => `${name}: there is no such setting${didYouMean(name, known)}`);
  throw new ConfigError(`${lines.join("\n")}\nthe variables are ${known.join(", ")}`);
}

function isForOthers(name: string, environment: Environment): boolean {
  const others = [SET_BY_ORCHESTRATOR, READ_BY_DOCKER_FILES, FOR_TESTS_OF_A_POS];
  return others.some((pattern) => pattern.test(name)) || ADDRESS_OF_ORCHESTRATOR.test(environment[name] ?? "");
}
