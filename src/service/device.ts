/** Describes the device that the status and an invoice's `mrc` name. */
import type { Receipts } from "../ledger/receipts.js";
import { installedSerialNumber, type Maker, mrcPrefix, TEMPORARY_SERIAL_NUMBER } from "./serial-number.js";
import type { ServiceParts } from "./service-parts.js";

export interface Device extends Maker {
  readonly serialNumber: string;
}

export function deviceOf({ settings, random }: Pick<ServiceParts, "settings" | "random">, receipts: Receipts): Device {
  const { dataDir, deviceSerialNumber, deviceMake: make, deviceModel: model, makerCodes } = settings;
  const maker: Maker = { make, model, makerCodes };
  if (deviceSerialNumber !== undefined) return { ...maker, serialNumber: deviceSerialNumber };
  if (dataDir === undefined) return { ...maker, serialNumber: TEMPORARY_SERIAL_NUMBER };
  return { ...maker, serialNumber: installedSerialNumber(dataDir, () => receipts.lastMrc(), maker, random) };
}

export function mrcOf(device: Device): string {
  return mrcPrefix(device) + device.serialNumber;
}
