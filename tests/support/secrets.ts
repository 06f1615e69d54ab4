/** Secrets of the test installation, recognisable wherever they would leak. */
export const TEST_SECRETS = {
  PASSWORD_PEPPER: "pepper-that-must-not-leak",
  SEALING_KEYS: `1:${btoa("sealing key that must not leak!!")}`,
};
