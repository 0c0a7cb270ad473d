/**
 * What attacks look like once decoded, each with a weight: 5 is enough by itself, 3 needs company.
 * Words alone weigh little, since people search for them and public APIs take queries in SQL,
 * SPARQL, JQL or OData as parameters; what weighs is the break out of a value and what follows it.
 * An address of 8 KB made to be slow must not be: every run is bounded, and what stands before a rare
 * word is looked for backwards from it.
 * Written for the text that `plainTextOf` makes: lower case, \uE000 between parameters.
 */

export type InjectionKind =
  | 'sql'
  | 'script'
  | 'traversal'
  | 'command'
  | 'template'
  | 'header'
  | 'code'
  | 'inside'

/** How much it weighs, and what it looks like. */
type Pattern = readonly [weight: 1 | 2 | 3 | 4 | 5, test: RegExp]

export interface Family {
  readonly kind: InjectionKind
  /** Without any of this no pattern of the family can match: it saves trying them. */
  readonly gate: RegExp
  readonly patterns: readonly Pattern[]
}

const SQL: readonly Pattern[] = [
  // A bare value, then the quote that ends it, then SQL: 1' or, admin'--, x") union.
  [
    3,
    /=[-\w.%@ ]*['"]\)*(?:\s*(?:\|\||&&|;|--|#)|\s+(?:or|and|xor|union|order|group|having|limit)(?!\w))/,
  ],
  [5, /['"]\)*\s*(?:or|\|\||xor)\s*\(*\s*(['"]?)(\w{1,20})\1\s*(?:=|like|<=>)\s*\(*\s*['"]?\2\b/],
  [3, /['"]\)*\s*(?:and|&&)\s*\(*\s*(['"]?)(\w{1,20})\1\s*=\s*\(*\s*['"]?\w{1,20}\b/],
  [5, /=[-\w.]*\)*\s+(?:or|xor|\|\|)\s+\(*\s*(\d+)\s*(?:=|like|<|>)\s*\d+/],
  [5, /=[-\w.]*[\d)]\s+(?:and|&&)\s+\(*\s*\d+\s*(?:=|<|>|like)\s*\(*\d+/],
  [5, /['"]\s+or\s+(['"])\1\s*=\s*\1/],
  [5, /=(?:@@(?:version|hostname|datadir|global)|if\s*\(\s*\d+\s*=\s*\d+\s*,)/],
  [5, /['"]\)*\s*(?:or|and)\s+(?:true|1|not\s+false)\s*(?:--|#|\/\*|\uE000|$)/],
  [2, /\bunion\s+(?:all\s+|distinct\s+)?\(?\s*select\b/],
  [2, /\bunion\s+(?:all\s+|distinct\s+)?\(?\s*select\s+(?:\*|[\w.]+\s*,|[\w.]+\s+from\b)/],
  [
    5,
    /\bunion\s*(?:all\s+|distinct\s+)?\(?\s*select\s*\(?\s*(?:null\b|-?\d+\s*(?:,|--|#|from|\uE000|$)|@@|'|"|0x|concat|group_concat|char\(|chr\(|version\(|user\(|database\(|load_file|unhex|hex\()/,
  ],
  [3, /=(?:-?\d+|[-\w]*['"])\)*\s*union\s/],
  [5, /;\s*(?:drop|alter|truncate|create)\s+(?:table|database|schema|view|user|index|procedure)\b/],
  [
    5,
    /;\s*(?:insert\s+into\s+\w|delete\s+from\s+\w|update\s+\w+\s+set\s|shutdown\b|exec(?:ute)?\s+(?:xp_|sp_|master|\()|declare\s+@)/,
  ],
  [5, /\bwaitfor\s+delay\s*\(?['"]?\d/],
  [3, /\b(?:pg_)?sleep\s*\(\s*['"]?\d/],
  [
    5,
    /(?:\b(?:and|or|xor|select|then|else)\b|[,;'"]|\|\||&&|\bif\s*\([^)]{0,80},)\s*\(*\s*(?:select\s*\(*\s*)?(?:pg_)?sleep\s*\(/,
  ],
  [5, /\bbenchmark\s*\(\s*\d+\s*,/],
  [
    5,
    /\b(?:dbms_pipe\.receive_message|dbms_lock\.sleep|utl_inaddr\.|utl_http\.|ctxsys\.|dbms_xmlgen|xmltype\s*\(\s*chr)/,
  ],
  [5, /\b(?:extractvalue|updatexml)\s*\(\s*[^,()]{0,80},\s*concat/],
  [3, /\b(?:extractvalue|updatexml|json_keys|gtid_subset|exp)\s*\(\s*~?\(*\s*(?:select|rand|\d)/],
  [5, /\bfloor\s*\(\s*rand\s*\(|\brand\s*\(\s*0\s*\)\s*\*\s*2/],
  [
    4,
    /\bfrom\s+(?:information_schema|mysql\.user|sysobjects|sys\.\w+tables|all_tables|pg_catalog|pg_shadow|sqlite_master)\b/,
  ],
  [5, /\binto\s+(?:out|dump)file\s*\(?['"/]/],
  [4, /\bload_file\s*\(|\bxp_cmdshell\b|\bmaster\.\.xp_|\bsp_oacreate\b/],
  [3, /@@(?:version|hostname|datadir|global|basedir|servername)\b/],
  [3, /\b(?:char|chr)\s*\(\s*\d+\s*(?:\)\s*(?:\|\||\+)|,\s*\d+)/],
  [2, /\b(?:version|database|current_user|system_user|user|schema)\s*\(\s*\)/],
  [
    5,
    /\b(?:ascii|ord|hex|mid|substr|substring|length|count|cast|convert)\s*\(\s*(?:\*\s*\)\s*from\s+\w+\s*\)|\(*\s*(?:select|substr|substring|mid)\b)/,
  ],
  [4, /\b(?:and|or|xor|rlike|regexp|not)\s*\(*\s*(?:exists\s*)?\(\s*select\b/],
  [4, /[=+\-*/]\s*\(\s*select\s+(?:\w+\s*\(|\*|\w+\s+from\b|\d)/],
  [5, /\bprocedure\s+analyse\s*\(/],
  [3, /\bhaving\s+['"]?(\d+)['"]?\s*=\s*['"]?\d/],
  [5, /=(?:-?\d+|[-\w]*['"])\)*\s*(?:order|group)\s+by\s+\d/],
  [5, /=[\w@.-]+['"]\)*\s*(?:--(?:[\s\-+\uE000]|$)|#|\/\*)/],
  [5, /['"]\)*\s*;\s*(?:--|#|select\b|exec\b|waitfor\b|drop\b)/],
  [2, /['")\d]\s*(?:--(?:[\s\-+\uE000]|$)|#|\/\*)/],
  [4, /['"]\s*(?:\|\||\+)\s*\(?\s*(?:select\b|['"]\s*(?:\|\||\+))/],
  [3, /['"]\s*(?:\|\||\+)\s*\(?\s*(?:chr|char|substr|version|user|dbms|utl)\w*[\s.(]/],
  [5, /\bcase\s+when\s+\(?\s*(?:\(?select|\d+\s*=\s*\d+|substr|ascii|user)/],
  [4, /\bif\s*\(\s*(?:\d+\s*=\s*\d+|\(*\s*select|substr|ascii|now)\b.{0,80},/],
  [
    5,
    /[?\uE000](?:id|\w+id|cat|item|page|no|num|news|product|article|user)=-?\d+['"]+\)*(?:\uE000|$)/,
  ],
  [
    5,
    /[?\uE000](?:user\w*|pass\w*|login|email|pwd|name|token)\[\$(?:ne|gt|gte|lt|regex|exists|nin|where)\]/,
  ],
  [
    5,
    /\{\s*"?\$(?:ne|gt|gte|regex|where|exists|nin)"?\s*:\s*(?:""|null|"\.\*|\d|true|"this|"function|"sleep)/,
  ],
  [
    5,
    /\$where\s*[=:]\s*["']?(?:this\.|function|\d|sleep|return)|['"]\s*(?:\|\||&&)\s*(?:this\.|['"]?(\w+)['"]?\s*==\s*['"]?\1)/,
  ],
  // LDAP filters and XPath that are closed and opened again.
  [
    5,
    /\*\)+\(+(?:[&|!]|uid|cn|mail|user|objectclass|password)|\)\(\|?\(?(?:uid|cn|objectclass|password|&)[^)]{0,80}=\*|\*\)\(\||\)\)\(\|\(/,
  ],
  [
    5,
    /['"]\s*(?:or|and)\s+(?:count|name|string-length|substring|position|contains)\s*\(\s*(?:\/|\.|\/\/)/,
  ],
]

const SCRIPT: readonly Pattern[] = [
  [3, /<\s*\/?\s*script\b/],
  [
    3,
    /(?<=<\s?script.{0,99})(?:alert|prompt|confirm|document\.|window\.|eval\b|fetch\s*\(|fromcharcode|location|import\s*\(|new image)/,
  ],
  [5, /(?<=<\s?script[^>]{0,80})[\s/](?:src|xlink:href|href)\s*=/],
  [2, /<\s*\/\s*script\s*>/],
  [5, /(?<=<[a-z!/][^>]{0,80})[\s/"'\f]on[a-z]{3,20}\s*=/],
  [
    5,
    /["'`][^<>"'`\uE000]{0,40}?\s\/?on[a-z]{3,20}\s*=\s*["'`]?\s*[^\s"'`]{0,40}?(?:alert|prompt|confirm|eval|fetch|\(|document|window)/,
  ],
  [4, /["']\s*\/?\s*>+\s*</],
  [
    2,
    /<\s*(?:svg|iframe|object|embed|applet|meta|base|math|body|img|video|audio|details|marquee|isindex|style|link|form|input|button|textarea|xml|a)\b/,
  ],
  [3, /<\s*(?:iframe|object|embed|applet|base|meta|math|xml|frameset)[\s/]/],
  [3, /(?:^|[=\s"'(>])j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:/],
  [
    3,
    /(?:javascript|vbscript)\s*:\s*(?:\/\/|\/\*|alert|prompt|confirm|eval|document|window|self|top|parent|msgbox|fetch|import|[a-z.]+\s*\(|\[)/,
  ],
  [4, /=\s*data\s*:\s*text\/html/],
  [2, /;base64,|data:[^,]{0,80},\s*</],
  [
    3,
    /\b(?:alert|prompt|confirm)\s*[(`]\s*(?:\d|["'`/]|document|window|string\.from|origin|location|this)/,
  ],
  [3, /\bdocument\.(?:cookie|domain|write|location)\b/],
  [3, /string\.fromcharcode\s*\(/],
  [3, /\bsrcdoc\s*=|\bexpression\s*\(|-moz-binding|behavior\s*:\s*url/],
  [4, /["'`]\s*[-;+*]\s*(?:alert|prompt|confirm|eval|fetch)\s*[(`]/],
  [5, /&(?:lt|#0*60|#x0*3c);?\s*(?:script|img|svg|iframe)\b/],
]

/** A parameter that is not what people type into a search box. */
const NOT_SEARCHED =
  '[?\\uE000](?!(?:q|query|search|s|text|keywords?|terms?|wd|p|find|k)=)[^=?\\uE000]{0,80}='
const SYSTEM_FILE =
  '(?:etc/(?:passwd|shadow|hosts|group|issue|sudoers|crontab)|proc/(?:self/|version|\\d+/(?:environ|cmdline|fd))|windows/(?:win\\.ini|system32)|winnt/|boot\\.ini|var/log/|root/\\.|home/\\w+/\\.ssh)'

const TRAVERSAL: readonly Pattern[] = [
  [2, /\.\.[/\\]/],
  [2, /(?:\.\.[/\\]+){2}/],
  [5, /(?:\.\.[/\\]+){3}/],
  [5, /\.\.;\/|(?<!\.)\.{4,}[/\\]{2,}|\.\.\.\/\.\\/],
  [
    5,
    /\.\.[/\\]+(?:[\w.-]+[/\\]+){0,8}(?:\.env|\.git|\.ssh|\.htpasswd|\.htaccess|\.aws|wp-config|web\.config|win\.ini|boot\.ini|passwd|shadow|id_rsa|config\.php|settings\.py|database\.yml|web-inf)/,
  ],
  [5, new RegExp(`${NOT_SEARCHED}(?:[a-z]:)?[/\\\\]*${SYSTEM_FILE}`)],
  [5, new RegExp(`\\.\\.[/\\\\]+(?:[\\w.-]+[/\\\\]+){0,8}${SYSTEM_FILE}`)],
  [5, new RegExp(`^/+${SYSTEM_FILE}|^/+bin/(?:ba)?sh$`)],
  [5, /=[a-z]:[\\/]+(?:windows|winnt|boot|inetpub|users|program files|xampp)/],
  [5, /\/web-inf\/|\/meta-inf\/(?:context|maven)/],
  [5, /\0/],
  [
    5,
    /=(?:file|php|phar|expect|glob|zip|ogg|data|netdoc|compress\.\w+):\/\/|=jar:(?:https?|file):/,
  ],
]

const SHELL_WORDS =
  'cat|ls|id|whoami|uname|wget|curl|nc|ncat|netcat|bash|sh|zsh|ping|nslookup|dig|sleep|echo|rm|python[23]?|perl|ruby|php|powershell|pwsh|cmd|type|dir|ifconfig|ipconfig|netstat|net user|chmod|touch|printenv|env|ps|tftp|busybox|telnet|hostname|pwd|systeminfo|certutil'
/** Those that no list of fields and no sentence has behind a separator. */
const SHELL_SURE =
  'whoami|uname -|uname\\b|cat [/.$<{]|ls -|ls /|wget (?:https?:|-|\\w+\\.)|curl (?:https?:|-|\\w+\\.)|nc -|ping -|ping \\d|nslookup \\w|dig \\w|sleep \\d|echo [\\w$\'"]+|rm -|python[23]? -c|perl -e|php -r|bash -|sh -|chmod [0-7+]|ipconfig|ifconfig|netstat -|net user|dir c:|dir \\\\|type c:|type %|printenv|certutil -|systeminfo|touch /'

const COMMAND: readonly Pattern[] = [
  [5, /(?:[;|`\n]|&&)\s*\/(?:usr\/)?s?bin\/\w/],
  [5, new RegExp(`(?:[;|\`\\n]|&&|\\|\\||&)\\s*(?:${SHELL_SURE})`)],
  [5, new RegExp(`(?:;|&&|\\|\\||\\n|\\d\\||\\|\\s)\\s*(?:${SHELL_WORDS})\\s*(?:[;|&\\uE000#]|$)`)],
  [5, new RegExp(`\\$\\(\\s*(?:${SHELL_WORDS})(?:\\s[^)]{0,80})?\\)`)],
  [5, new RegExp(`\`\\s*(?:${SHELL_WORDS})(?:\\s[^\`]{0,80})?\``)],
  [5, /\$\{?ifs\b\}?|\/dev\/tcp\/|\(\)\s*\{\s*[:_]?\s*[;>]/],
  [4, /[\s;|`(=]\/(?:usr\/)?bin\/(?:ba|z|c|k|da)?(?:sh|cat|id|ls|nc|wget|curl|python|perl)\b/],
  [3, />\s*\/(?:tmp|var\/www|dev)\//],
  [5, /\bcmd(?:\.exe)?\s*(?:\?|\s)\s*\/[ck]\b|cmd\.exe\?/],
  [5, /\bpowershell(?:\.exe)?\s+-(?:e\b|enc|nop|c\b|com|w\b|ex|iex)/],
  [4, /[<>]\([^)]{0,80}\)|\{(?:cat|ls|id|curl|wget),/],
]

const TEMPLATE: readonly Pattern[] = [
  [5, /\{\{\s*(?:['"]?\d+['"]?\s*[*+%-]\s*['"]?\d+|['"][^}]{0,80}['"]\s*(?:\.|\|\s*\w+\())/],
  [5, /[$#@*]\{\s*\(*\s*['"]?\d+['"]?\s*[*+-]\s*['"]?\d+/],
  [5, /(?<=<%[^%]{0,80})(?:\d\s*[*+]\s*\d|system|exec|file\.|io\.|`)/],
  [
    5,
    /(?<=\{\{[^}]{0,80})(?:__\w{1,20}__|constructor|lipsum|cycler|joiner|_self\.|get_flashed|url_for\.|\|\s*attr|\.items\s*\(|popen|\bsystem\b|registerundefined)/,
  ],
  [3, /\{\{\s*(?:config|self|settings|request|app|dump\s*\([^)]{0,80}\))\s*[.}]/],
  [2, /(?<=\{\{[^}]{0,80})\.(?:environ|application|session|secret\w*|env)\b/],
  [5, /[.[|'"]\s*__(?:class|mro|subclasses|globals|builtins|import|base|bases|init)__/],
  [5, /\{%\s*(?:debug|import|include|set|for|if)\b[^%]{0,80}(?:\(|__|\d\s*[*=]|\bos\b|passwd)/],
  [
    5,
    /freemarker\.template|t\s*\(\s*java\.lang|java\.lang\.(?:runtime|processbuilder|system|class)|getruntime\s*\(|#set\s*\(\s*\$/,
  ],
  [
    5,
    /%\{\s*\(*\s*[#@\d']|#_memberaccess|@ognl|#context\[|class\.module\.classloader|\(#\w+\s*=\s*@/,
  ],
  [
    4,
    /process\.(?:mainmodule|binding|env)|child_process|global\.process|require\s*\(\s*['"](?:child_process|fs)/,
  ],
  [5, /__proto__[[.=]|constructor\[prototype\]|constructor\.prototype/],
  [
    5,
    /\$\{\s*jndi\s*:|\$\{[^}]{0,60}\$\{|\$\{(?:lower|upper|::-|env|sys|java|ctx|hostname|date)\s*[:}]/,
  ],
]

const HEADER: readonly Pattern[] = [
  [
    5,
    /[\r\n\u560A\u560D]+\s*(?:set-cookie|location|content-(?:type|length|disposition|security-policy)|http\/1|x-[a-z][\w-]*|host|transfer-encoding|access-control-[\w-]+|refresh|link|referer|user-agent|cookie|bcc|cc|to|from|subject)\s*[:/]/,
  ],
  [5, /\shttp\/1\.[01](?:\s|$)/],
  [4, /(?:\r\n){2}\s*</],
  [3, /\r\n\r\n/],
  [3, /[\r\n]+(?:get|post|put|delete|head) \//],
]

const CODE: readonly Pattern[] = [
  [5, /<\?(?:php\b|=|\s)/],
  [
    5,
    /\ballow_url_include\b|\bauto_prepend_file\b|eval-stdin\.php|\binvokefunction\b|\bcall_user_func(?:_array)?\b/,
  ],
  [
    3,
    /\b(?:system|exec|shell_exec|passthru|popen|proc_open|assert|eval|base64_decode|file_get_contents|file_put_contents|include|require)\s*\(\s*(?:['"$]|base64|chr|hex2bin|__import__|request|\w+\()/,
  ],
  [4, /\$_(?:get|post|request|server|cookie|files|session)\b/],
  [5, new RegExp(`${NOT_SEARCHED}[^\\uE000]{0,20}\\bphpinfo\\s*\\(`)],
  [
    5,
    new RegExp(
      `${NOT_SEARCHED}(?:;|\\{)?\\s*(?:system|exec|shell_exec|passthru|print|eval|assert|die)\\s*\\(\\s*['"\\w]`,
    ),
  ],
  [5, /\bo:\d+:"[\w\\]+":\d+:\{|=(?:ro0ab|h4siaaaa)|\baced0005/],
  [5, /<!entity\b|<!doctype\s+\w+\s*\[|<xi:include|xmlns:xi=|<!\[cdata\[.{0,80}<!\[|<xsl:/],
  [5, /<!--\s*#\s*(?:exec|include|echo|config|printenv)\b/],
  [
    5,
    /__import__\s*\(|\bos\.(?:system|popen)\s*\(|\bsubprocess\.(?:popen|call|check_output|run)\s*\(/,
  ],
]

/**
 * Services of the machine itself: a server that fetches any given address hands out its secrets.
 */
const INSIDE: readonly Pattern[] = [
  [
    5,
    /(?<==[^\uE000]{0,40})(?:169\.254\.169\.254|100\.100\.100\.200|metadata\.google\.internal|\[fd00:ec2::254\]|2852039166|0xa9fea9fe)/,
  ],
  [5, /=(?:gopher|dict|ldaps?|tftp|sftp|rmi|netdoc):\/\//],
]

export const FAMILIES: readonly Family[] = [
  {
    kind: 'sql',
    gate: /['"@$;]|\*\)|\)\(|\b(?:or|and|xor|union|sleep|having|by|waitfor|benchmark|select|procedure|case|if)\b|&&|\|\|/,
    patterns: SQL,
  },
  { kind: 'script', gate: /[<"'`]|t\s*:|data\s*:|&(?:lt|#)/, patterns: SCRIPT },
  {
    kind: 'traversal',
    gate: /\.\.|\0|:\/\/|=jar:|etc\/|proc\/|win|boot|var\/|root\/|home\/|-inf\/|bin\/|[a-z]:[\\/]/,
    patterns: TRAVERSAL,
  },
  { kind: 'command', gate: /[;|`&\n$<>]|\{[a-z]+,|cmd|powershell|\/bin\//, patterns: COMMAND },
  {
    kind: 'template',
    gate: /\{|<%|__|java|class|ognl|process|proto|freemarker|require|#set|\(#/,
    patterns: TEMPLATE,
  },
  { kind: 'header', gate: /[\r\n\u560A\u560D]|http\/1/, patterns: HEADER },
  {
    kind: 'code',
    gate: /<[?!x]|\(|\$_|allow_url|auto_prepend|eval-stdin|invokefunc|call_user|o:\d|=ro0ab|=h4si|aced|xmlns/,
    patterns: CODE,
  },
  {
    kind: 'inside',
    gate: /:\/\/|169\.254|100\.100|metadata|fd00:|2852039|0xa9fe/,
    patterns: INSIDE,
  },
]
