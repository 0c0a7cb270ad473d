<?php
/**
 * Addresses as on Wikipedia, for PHP's own web server: /w/api.php and the like are MediaWiki's
 * programs, /wiki/TITLE is an article, and everything else does not exist.
 */
$code = getenv( 'MINGA_MEDIAWIKI_CODE' );
$path = rawurldecode( parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) ?: '/' );

if ( str_starts_with( $path, '/wiki/' ) || $path === '/' ) {
	$program = 'index.php';
	$rest = '';
} elseif ( preg_match( '~^/w/(api|index|load|rest)\.php(/.*)?$~', $path, $parts ) ) {
	$program = $parts[1] . '.php';
	$rest = $parts[2] ?? '';
} else {
	http_response_code( 404 );
	return true;
}

$_SERVER['SCRIPT_NAME'] = "/w/$program";
$_SERVER['PHP_SELF'] = "/w/$program$rest";
$_SERVER['SCRIPT_FILENAME'] = "$code/$program";
if ( $rest !== '' ) {
	$_SERVER['PATH_INFO'] = $rest;
} else {
	unset( $_SERVER['PATH_INFO'] );
}
chdir( $code );
require "$code/$program";
