/** Storage of the demo's identity provider, in memory: it outlives a rotation of the keys. */
type Payload = Record<string, unknown> & { grantId?: string; uid?: string; userCode?: string };
type Row = { payload: Payload; until: number };

/** Returns the adapter factory that the package calls for each of its models. */
export function memoryStorage() {
  const rows = new Map<string, Row>();
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const find = async (id: string) => {
      const row = rows.get(keyOf(id));
      return row && row.until > Date.now() ? row.payload : undefined;
    };
    const findBy = async (name: "uid" | "userCode", value: string) =>
      [...rows].find(([key, { payload }]) => key.startsWith(keyOf("")) && payload[name] === value)?.[1]
        .payload;
    return {
      find,
      findByUid: (uid: string) => findBy("uid", uid),
      findByUserCode: (code: string) => findBy("userCode", code),
      async upsert(id: string, payload: Payload, seconds?: number) {
        rows.set(keyOf(id), {
          payload,
          until: seconds ? Date.now() + seconds * 1000 : Number.POSITIVE_INFINITY,
        });
      },
      async consume(id: string) {
        const row = rows.get(keyOf(id));
        if (row) row.payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id: string) {
        rows.delete(keyOf(id));
      },
      async revokeByGrantId(grantId: string) {
        for (const [key, { payload }] of rows) if (payload.grantId === grantId) rows.delete(key);
      },
    };
  };
}
