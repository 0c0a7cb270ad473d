/** Which DuckDB this is, as it says itself when it is loaded and asked; throws where it cannot be loaded. */
export async function duckdbVersion(): Promise<string> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll('SELECT version()')
    return String(reader.getRows()[0]?.[0])
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
