type Method = "delete" | "get" | "put";

/** Returns the bucket, before whose first call of a method something else happens. */
export function beforeCall(bucket: R2Bucket, method: Method, act: () => Promise<unknown>): R2Bucket {
  let hasActed = false;
  return beforeCalls(bucket, method, async () => {
    if (hasActed) return;
    hasActed = true;
    await act();
  });
}

/** Returns the bucket, before whose calls of a method something else happens. */
export function beforeCalls(bucket: R2Bucket, method: Method, act: () => Promise<unknown>): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== method) return value.bind(target);
      return async (...values: unknown[]) => {
        await act();
        return value.apply(target, values);
      };
    },
  });
}
