/** Types for node-forge's ASN.1 module. The package's own types describe this module only as a part of the package. */
declare module "node-forge/lib/asn1.js" {
  import type { asn1 } from "node-forge";

  const module: typeof asn1;
  export default module;
}
