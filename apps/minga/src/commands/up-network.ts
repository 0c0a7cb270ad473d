/** How a station is reached over the network: its address, its certificate, and proxies before it. */
import { isIP } from 'node:net'
import type { CoordinatorSettings } from '@minga/coordinator'
import { Option, type Command } from 'commander'
import { BadOption, PlainListen } from '../errors.ts'
import { append } from '../options.ts'
import { requireReadable } from './lake/files.ts'

export interface NetworkOptions {
  listen: string
  tlsCert?: string
  tlsKey?: string
  behindProxy?: string[]
  insecure?: boolean
}

export function addNetworkOptions(command: Command): Command {
  return command
    .option('--listen <address>', 'address to bind', '127.0.0.1')
    .option(
      '--tls-cert <file>',
      'certificate, to serve https; the local agent needs 127.0.0.1 in it',
    )
    .option('--tls-key <file>', 'its key')
    .addOption(
      new Option(
        '--behind-proxy <address>',
        'proxy that serves https for this station: its address or block, as in 127.0.0.1 or 10.0.0.0/8 (repeatable)',
      ).argParser(append),
    )
    .option('--insecure', 'allow --listen beyond this machine without https')
}

export async function networkSettings(
  options: NetworkOptions,
): Promise<Pick<CoordinatorSettings, 'tls' | 'behindProxy'>> {
  const { listen, tlsCert, tlsKey, behindProxy = [], insecure = false } = options
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new BadOption('--tls-cert', 'a --tls-key with it', 'one alone')
  }
  for (const block of behindProxy) requireBlock(block)
  const isPlain = tlsCert === undefined && behindProxy.length === 0 && !insecure
  if (isPlain && !/^(127\.|\[?::1\]?$|localhost$)/.test(listen)) throw new PlainListen(listen)
  for (const file of [tlsCert, tlsKey]) if (file !== undefined) await requireReadable(file)
  return {
    ...(tlsCert && tlsKey ? { tls: { certFile: tlsCert, keyFile: tlsKey } } : {}),
    ...(behindProxy.length === 0 ? {} : { behindProxy }),
  }
}

function requireBlock(block: string): void {
  const [address = '', bits] = block.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (isIP(address) !== 0 && isBits) return
  throw new BadOption('--behind-proxy', 'an address or a block such as 10.0.0.0/8', block)
}
