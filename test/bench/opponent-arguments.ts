// What both opponents are told: where the service is, which file, how many rows together.

export type Cells = Readonly<Record<string, string>>;

export type OpponentArguments = {
  readonly baseUrl: string;
  readonly path: string;
  readonly concurrency: number;
};

export function readArguments(): OpponentArguments {
  const [baseUrl = '', path = '', concurrency = ''] = process.argv.slice(2);
  return { baseUrl, path, concurrency: Number(concurrency) };
}
