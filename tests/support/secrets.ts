import { generateKeyPairSync } from "node:crypto";

const newKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "der" })
    .toString("base64");

/** Secrets of the test installation, recognizable if they leak. */
export const TEST_SECRETS = {
  PASSWORD_PEPPER: "pepper-that-must-not-leak-at-all",
  SEALING_KEYS: `1:${btoa("sealing key that must not leak!!")}`,
  EXPORT_SIGNING_KEYS: `1:${newKey()}`,
  VAPID_KEYS: `1:${newKey()}`,
};
