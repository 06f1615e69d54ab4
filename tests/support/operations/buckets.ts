/** Returns the bucket, before whose first call of a method something else happens. */
export function beforeCall(
  bucket: R2Bucket,
  method: "delete" | "get" | "put",
  act: () => Promise<unknown>,
): R2Bucket {
  let hasActed = false;
  return new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== method) return value.bind(target);
      return async (...values: unknown[]) => {
        if (!hasActed) {
          hasActed = true;
          await act();
        }
        return value.apply(target, values);
      };
    },
  });
}
