/** The secrets in the webhook addresses of the bench. */
export const WEBHOOK_SECRETS = { axis: "camera-of-the-bench", rekor: "webhook-of-the-bench" };
