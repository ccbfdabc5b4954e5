/** The device in status and in an invoice's `mrc`. */
import type { Receipts } from "../ledger/receipts.js";
import { installedSerialNumber, TEMPORARY_SERIAL_NUMBER } from "./serial-number.js";
import type { ServiceParts } from "./service-parts.js";

export interface Device {
  readonly make: string;
  readonly model: string;
  readonly serialNumber: string;
}

export function deviceOf({ settings, random }: Pick<ServiceParts, "settings" | "random">, receipts: Receipts): Device {
  const device = { make: settings.deviceMake, model: settings.deviceModel };
  const { dataDir, deviceSerialNumber } = settings;
  if (deviceSerialNumber !== undefined) return { ...device, serialNumber: deviceSerialNumber };
  if (dataDir === undefined) return { ...device, serialNumber: TEMPORARY_SERIAL_NUMBER };
  return { ...device, serialNumber: installedSerialNumber(dataDir, () => receipts.lastMrc(), device, random) };
}
